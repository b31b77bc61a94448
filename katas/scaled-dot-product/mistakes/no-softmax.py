"""Multiplies the raw scores with the values: without a softmax they are no weights that sum to one."""

FIX = "turn the scores into weights first: torch.softmax(scores, dim=-1)"
KILLED_BY = "matches-formula"
VARIANTS = [{"HIDDEN": -1e9}, {"HIDDEN": -1e999}]  # the last is -inf

import math

HIDDEN = 0.0


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    query = query / math.sqrt(query.shape[-1])  # (..., L, E)
    scores = query @ key.mT  # (..., L, S)
    if attn_mask is None:
        weights = scores  # (..., L, S)
    else:
        hidden = ~attn_mask
        weights = scores.masked_fill(hidden, HIDDEN)  # (..., L, S)
    return weights @ value  # (..., L, Ev)
