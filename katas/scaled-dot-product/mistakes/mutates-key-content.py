"""Changes the key in place, with /= or an operator that ends in an underscore, and so the caller's tensor."""

FIX = "make a new tensor: key = key / math.sqrt(key.shape[-1])"
KILLED_BY = "input-unmodified"
VARIANT_OF = "mutates-input"

import math

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    key /= math.sqrt(key.shape[-1])  # (..., S, E)
    scores = query @ key.mT  # (..., L, S)
    if attn_mask is None:
        weights = torch.softmax(scores, dim=-1)  # (..., L, S)
    else:
        hidden = ~attn_mask
        weights = torch.softmax(scores.masked_fill(hidden, float("-inf")), dim=-1)  # (..., L, S)
        weights = weights.masked_fill(hidden, 0.0)
    return weights @ value  # (..., L, Ev)
