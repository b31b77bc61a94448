"""Adds the boolean mask to the scores as 0 or 1, so that visible keys gain a point and hidden keys stay in."""

FIX = "fill the scores with -inf where the mask is False, before the softmax: masked_fill(~attn_mask, -inf)"
KILLED_BY = "mask-selects-keys"

import math

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    query = query / math.sqrt(query.shape[-1])  # (..., L, E)
    scores = query @ key.mT  # (..., L, S)
    if attn_mask is None:
        weights = torch.softmax(scores, dim=-1)  # (..., L, S)
    else:
        weights = torch.softmax(scores + attn_mask, dim=-1)  # (..., L, S)
    return weights @ value  # (..., L, Ev)
