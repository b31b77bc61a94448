"""Adds 1e-5 to the softmax's denominator, so that the weights sum to a little less than one."""

FIX = "add nothing: once the maximum is subtracted the denominator is at least 1"
KILLED_BY = "matches-formula"

import math

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])  # (..., L, S)
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, float("-inf"))
    exp = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
    weights = exp / (exp.sum(dim=-1, keepdim=True) + 1e-5)  # (..., L, S)
    return weights @ value  # (..., L, Ev)
