"""Divides by √E after the softmax instead of before it, so that the weights sum to 1/√E."""

FIX = "divide the scores by √E before they enter the softmax"
KILLED_BY = "matches-formula"

import math

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    scores = query @ key.mT  # (..., L, S)
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, float("-inf"))
    weights = torch.softmax(scores, dim=-1) / math.sqrt(query.shape[-1])  # (..., L, S)
    return weights @ value  # (..., L, Ev)
