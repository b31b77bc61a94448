"""Takes the softmax over the queries (dim=-2), so that a query's weights over its keys do not sum to one."""

FIX = "take the softmax over the keys, the last dimension of the scores: dim=-1"
KILLED_BY = "matches-formula"
VARIANTS = [{"HIDDEN": -1e9}]

import math

import torch

HIDDEN = float("-inf")


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    query = query / math.sqrt(query.shape[-1])  # (..., L, E)
    scores = query @ key.mT  # (..., L, S)
    if attn_mask is None:
        weights = torch.softmax(scores, dim=-2)  # (..., L, S)
    else:
        hidden = ~attn_mask
        weights = torch.softmax(scores.masked_fill(hidden, HIDDEN), dim=-2)  # (..., L, S)
    return weights @ value  # (..., L, Ev)
