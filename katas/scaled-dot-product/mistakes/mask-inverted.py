"""Hides the keys where the mask is True; here True means that the query may attend to the key."""

FIX = "fill where the mask is False: scores.masked_fill(~attn_mask, -inf)"
KILLED_BY = "mask-selects-keys"

import math

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    query = query / math.sqrt(query.shape[-1])  # (..., L, E)
    scores = query @ key.mT  # (..., L, S)
    if attn_mask is None:
        weights = torch.softmax(scores, dim=-1)  # (..., L, S)
    else:
        hidden = attn_mask
        weights = torch.softmax(scores.masked_fill(hidden, float("-inf")), dim=-1)  # (..., L, S)
        weights = weights.masked_fill(hidden, 0.0)
    return weights @ value  # (..., L, Ev)
