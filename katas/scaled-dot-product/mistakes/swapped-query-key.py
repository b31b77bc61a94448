"""Multiplies key with query instead of query with key, so that rows and columns of the scores change places."""

FIX = "compute query @ key.mT: one row for each query, one column for each key"
KILLED_BY = "matches-formula"

import math

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    query = query / math.sqrt(query.shape[-1])  # (..., L, E)
    scores = key @ query.mT  # (..., S, L)
    if attn_mask is None:
        weights = torch.softmax(scores, dim=-1)  # (..., L, S)
    else:
        hidden = ~attn_mask
        weights = torch.softmax(scores.masked_fill(hidden, float("-inf")), dim=-1)  # (..., L, S)
        weights = weights.masked_fill(hidden, 0.0)
    return weights @ value  # (..., L, Ev)
