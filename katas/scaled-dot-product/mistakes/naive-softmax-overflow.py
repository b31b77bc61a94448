"""Takes exp of the scores without subtracting the maximum, so that large scores end in inf / inf = NaN."""

FIX = "use torch.softmax, or subtract scores.amax(dim=-1, keepdim=True) before exp"
KILLED_BY = "large-scores-stay-finite"
VARIANTS = [{"EPS": 1e-9}, {"EPS": 1e-8}, {"EPS": 1e-6}]

import math

import torch

EPS = 0.0


def softmax(scores, dim):
    exp = torch.exp(scores)
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
