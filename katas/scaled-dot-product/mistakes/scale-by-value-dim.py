"""Takes the scale from the value's width Ev; the scores are sums over E, the width of query and key."""

FIX = "use the query's width: math.sqrt(query.shape[-1])"
KILLED_BY = "value-width-may-differ"

import math

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    scores = query @ key.mT / math.sqrt(value.shape[-1])  # (..., L, S)
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, float("-inf"))
    weights = torch.softmax(scores, dim=-1)  # (..., L, S)
    return weights @ value  # (..., L, Ev)
