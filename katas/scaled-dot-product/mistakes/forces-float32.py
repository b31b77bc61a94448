"""Converts to float32 and never back, so that the output has another dtype than the input."""

FIX = "compute in the input's dtype, or end with out.to(query.dtype)"
KILLED_BY = "keeps-dtype"

import math

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    query, key, value = query.float(), key.float(), value.float()
    query = query / math.sqrt(query.shape[-1])  # (..., L, E)
    scores = query @ key.mT  # (..., L, S)
    if attn_mask is None:
        weights = torch.softmax(scores, dim=-1)  # (..., L, S)
    else:
        hidden = ~attn_mask
        weights = torch.softmax(scores.masked_fill(hidden, float("-inf")), dim=-1)  # (..., L, S)
        weights = weights.masked_fill(hidden, 0.0)
    return weights @ value  # (..., L, Ev)
