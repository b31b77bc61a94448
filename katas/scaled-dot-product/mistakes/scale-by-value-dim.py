"""Takes the scale from the value's width Ev; the scores are sums over E, the width of query and key."""

FIX = "use the query's width: math.sqrt(query.shape[-1])"
KILLED_BY = "value-width-may-differ"

import math

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    query = query / math.sqrt(value.shape[-1])  # (..., L, E)
    scores = query @ key.mT  # (..., L, S)
    if attn_mask is None:
        weights = torch.softmax(scores, dim=-1)  # (..., L, S)
    else:
        hidden = ~attn_mask
        weights = torch.softmax(scores.masked_fill(hidden, float("-inf")), dim=-1)  # (..., L, S)
        weights = weights.masked_fill(hidden, 0.0)
    return weights @ value  # (..., L, Ev)
