# verdict: fail
# mistake: mask-inverted
# fails: mask-selects-keys
"""The arguments of torch.where stand the wrong way round."""

import math

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if attn_mask is not None:
        low = torch.finfo(scores.dtype).min
        scores = torch.where(attn_mask, torch.full_like(scores, low), scores)
    return torch.softmax(scores, dim=-1) @ value
