# verdict: fail
# mistake: forces-float32
# fails: keeps-dtype
# dtypes: float64
"""Casts to float32 for a safe softmax and never casts back."""

import math

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    query, key, value = query.float(), key.float(), value.float()
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, -1e9)
    return torch.softmax(scores, dim=-1) @ value
