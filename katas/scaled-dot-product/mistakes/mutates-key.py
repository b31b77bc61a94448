"""Transposes the key in place with transpose_, which leaves the caller's tensor with another shape."""

FIX = "make a view: key.mT, or transpose without the underscore"
KILLED_BY = "input-unmodified"
VARIANT_OF = "mutates-input"

import math

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    query = query / math.sqrt(query.shape[-1])  # (..., L, E)
    scores = query @ key.transpose_(-2, -1)  # (..., L, S)
    if attn_mask is None:
        weights = torch.softmax(scores, dim=-1)  # (..., L, S)
    else:
        hidden = ~attn_mask
        weights = torch.softmax(scores.masked_fill(hidden, float("-inf")), dim=-1)  # (..., L, S)
        weights = weights.masked_fill(hidden, 0.0)
    return weights @ value  # (..., L, Ev)
