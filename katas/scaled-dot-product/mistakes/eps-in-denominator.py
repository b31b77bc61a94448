"""Adds a number like 1e-5 to the softmax's denominator, so that the weights sum to a little less than one."""

FIX = "add nothing: once the maximum is subtracted the denominator is at least 1"
KILLED_BY = "matches-formula"
VARIANTS = [{"EPS": 1e-6}, {"EPS": 1e-4}, {"EPS": 1e-3}, {"EPS": 1e-7}, {"EPS": 1e-8}]

import math

import torch

EPS = 1e-5


def softmax(scores, dim):
    exp = torch.exp(scores - scores.amax(dim, keepdim=True))
    return exp / (exp.sum(dim, keepdim=True) + EPS)


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    query = query / math.sqrt(query.shape[-1])  # (..., L, E)
    scores = query @ key.mT  # (..., L, S)
    if attn_mask is None:
        weights = softmax(scores, dim=-1)  # (..., L, S)
    else:
        hidden = ~attn_mask
        weights = softmax(scores.masked_fill(hidden, float("-inf")), dim=-1)  # (..., L, S)
        weights = weights.masked_fill(hidden, 0.0)
    return weights @ value  # (..., L, Ev)
