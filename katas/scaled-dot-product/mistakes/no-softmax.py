"""Multiplies the raw scores with the values: without a softmax they are no weights that sum to one."""

FIX = "turn the scores into weights first: torch.softmax(scores, dim=-1)"
KILLED_BY = "matches-formula"

import math


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    query = query / math.sqrt(query.shape[-1])  # (..., L, E)
    scores = query @ key.mT  # (..., L, S)
    if attn_mask is None:
        weights = scores  # (..., L, S)
    else:
        hidden = ~attn_mask
        weights = scores.masked_fill(hidden, float("-inf"))  # (..., L, S)
        weights = weights.masked_fill(hidden, 0.0)
    return weights @ value  # (..., L, Ev)
