"""Multiplies the raw scores with the values: without a softmax they are no weights that sum to one."""

FIX = "turn the scores into weights first: torch.softmax(scores, dim=-1)"
KILLED_BY = "matches-formula"

import math


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])  # (..., L, S)
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, 0.0)
    return scores @ value  # (..., L, Ev)
