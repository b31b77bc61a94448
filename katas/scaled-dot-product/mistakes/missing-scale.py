"""Does not divide the scores by √E, so that the softmax is too sharp, more so the wider the keys are."""

FIX = "divide the scores by math.sqrt(query.shape[-1])"
KILLED_BY = "matches-formula"

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    scores = query @ key.mT  # (..., L, S)
    if attn_mask is None:
        weights = torch.softmax(scores, dim=-1)  # (..., L, S)
    else:
        hidden = ~attn_mask
        weights = torch.softmax(scores.masked_fill(hidden, float("-inf")), dim=-1)  # (..., L, S)
        weights = weights.masked_fill(hidden, 0.0)
    return weights @ value  # (..., L, Ev)
