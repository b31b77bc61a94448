"""Multiplies key with query instead of query with key, so that rows and columns of the scores change places."""

FIX = "compute query @ key.mT: one row for each query, one column for each key"
KILLED_BY = "matches-formula"

import math

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    scores = key @ query.mT / math.sqrt(query.shape[-1])  # (..., S, L)
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, float("-inf"))
    weights = torch.softmax(scores, dim=-1)  # (..., S, L)
    return weights @ value  # (..., L, Ev)
