"""Divides by √E after the softmax instead of before it, so that the weights sum to 1/√E."""

FIX = "divide the scores by √E before they enter the softmax"
KILLED_BY = "matches-formula"

import math

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    scores = query @ key.mT  # (..., L, S)
    if attn_mask is None:
        weights = torch.softmax(scores, dim=-1)  # (..., L, S)
    else:
        hidden = ~attn_mask
        weights = torch.softmax(scores.masked_fill(hidden, float("-inf")), dim=-1)  # (..., L, S)
        weights = weights.masked_fill(hidden, 0.0)
    return weights / math.sqrt(query.shape[-1]) @ value  # (..., L, Ev)
