# verdict: fail
# mistake: unlisted
# fails: mask-selects-keys
"""(1 - mask) * -inf is NaN for every visible key, for 0 times infinity is no number."""

import math

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if attn_mask is not None:
        scores = scores + (1.0 - attn_mask.to(scores.dtype)) * float("-inf")
    return torch.softmax(scores, dim=-1) @ value
