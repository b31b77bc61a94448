"""Scales the query in place with /=, which changes the caller's tensor."""

FIX = "make a new tensor: query = query / math.sqrt(query.shape[-1])"
KILLED_BY = "input-unmodified"

import math

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    query /= math.sqrt(query.shape[-1])
    scores = query @ key.mT  # (..., L, S)
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, float("-inf"))
    weights = torch.softmax(scores, dim=-1)  # (..., L, S)
    return weights @ value  # (..., L, Ev)
