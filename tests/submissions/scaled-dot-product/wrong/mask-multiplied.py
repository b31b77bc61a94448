# verdict: fail
# mistake: mask-fill-with-zero
# fails: mask-selects-keys
"""Multiplies the scores with the mask, so that a masked key gets the score 0 and keeps its weight."""

import math

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if attn_mask is not None:
        scores = scores * attn_mask.to(scores.dtype)
    return torch.softmax(scores, dim=-1) @ value
