"""Takes the softmax over the queries (dim=-2), so that a query's weights over its keys do not sum to one."""

FIX = "take the softmax over the keys, the last dimension of the scores: dim=-1"
KILLED_BY = "matches-formula"

import math

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])  # (..., L, S)
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, float("-inf"))
    weights = torch.softmax(scores, dim=-2)  # (..., L, S)
    return weights @ value  # (..., L, Ev)
