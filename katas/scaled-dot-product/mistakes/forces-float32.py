"""Converts to float32 and never back, so that the output has another dtype than the input."""

FIX = "compute in the input's dtype, or end with out.to(query.dtype)"
KILLED_BY = "keeps-dtype"

import math

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    query, key, value = query.float(), key.float(), value.float()
    scores = query @ key.mT / math.sqrt(query.shape[-1])  # (..., L, S)
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, float("-inf"))
    weights = torch.softmax(scores, dim=-1)  # (..., L, S)
    return weights @ value  # (..., L, Ev)
