"""Zeroes the masked weights after the softmax, so that the weights left over no longer sum to one."""

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
        hidden = ~attn_mask
        weights = torch.softmax(scores, dim=-1)  # (..., L, S)
        weights = weights.masked_fill(hidden, 0.0)
    return weights @ value  # (..., L, Ev)
