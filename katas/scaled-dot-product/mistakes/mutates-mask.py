"""Inverts the mask in place, which changes the caller's tensor and every later call with it."""

FIX = "make a new tensor: ~attn_mask, or logical_not() without the underscore"
KILLED_BY = "input-unmodified"
VARIANT_OF = "mutates-input"

import math

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    query = query / math.sqrt(query.shape[-1])  # (..., L, E)
    scores = query @ key.mT  # (..., L, S)
    if attn_mask is None:
        weights = torch.softmax(scores, dim=-1)  # (..., L, S)
    else:
        hidden = attn_mask.logical_not_()
        weights = torch.softmax(scores.masked_fill(hidden, float("-inf")), dim=-1)  # (..., L, S)
        weights = weights.masked_fill(hidden, 0.0)
    return weights @ value  # (..., L, Ev)
