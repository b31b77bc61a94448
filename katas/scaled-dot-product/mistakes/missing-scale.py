"""Does not divide the scores by √E, so that the softmax is too sharp, more so the wider the keys are."""

FIX = "divide the scores by math.sqrt(query.shape[-1])"
KILLED_BY = "matches-formula"

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    scores = query @ key.mT  # (..., L, S)
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, float("-inf"))
    weights = torch.softmax(scores, dim=-1)  # (..., L, S)
    return weights @ value  # (..., L, Ev)
