"""Takes exp of the scores without subtracting the maximum, so that large scores end in inf / inf = NaN."""

FIX = "use torch.softmax, or subtract scores.amax(dim=-1, keepdim=True) before exp"
KILLED_BY = "large-scores-stay-finite"

import math

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])  # (..., L, S)
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, float("-inf"))
    exp = torch.exp(scores)
    weights = exp / exp.sum(dim=-1, keepdim=True)  # (..., L, S)
    return weights @ value  # (..., L, Ev)
