"""Divides the scores by E instead of √E, so that the weights come out too even."""

FIX = "take the root: divide the scores by math.sqrt(query.shape[-1])"
KILLED_BY = "matches-formula"

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    scores = query @ key.mT / query.shape[-1]  # (..., L, S)
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, float("-inf"))
    weights = torch.softmax(scores, dim=-1)  # (..., L, S)
    return weights @ value  # (..., L, Ev)
