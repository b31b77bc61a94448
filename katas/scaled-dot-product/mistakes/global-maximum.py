"""Subtracts one maximum of all scores before exp, so that a query with much lower scores ends in 0 / 0 = NaN."""

FIX = "subtract the maximum of each row: scores.amax(dim=-1, keepdim=True)"
KILLED_BY = "large-scores-stay-finite"

import math

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])  # (..., L, S)
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, float("-inf"))
    exp = torch.exp(scores - scores.max())
    weights = exp / exp.sum(dim=-1, keepdim=True)  # (..., L, S)
    return weights @ value  # (..., L, Ev)
