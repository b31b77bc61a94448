"""Adds a number like -10000 to masked scores, which a hidden key survives whose own score is large."""

FIX = "fill with -inf instead of adding: masked_fill(~attn_mask, -inf) forgets the score that stood there"
KILLED_BY = "masked-key-has-no-influence"
VARIANT_OF = "mask-fill-too-small"
VARIANTS = [
    {"BIAS": -1e3},
    {"BIAS": -100.0},
    {"BIAS": -50.0},
    {"BIAS": -30.0},
    {"BIAS": -20.0},
    {"BIAS": -10.0},
    {"BIAS": -5.0},
]

import math

import torch

BIAS = -1e4


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    query = query / math.sqrt(query.shape[-1])  # (..., L, E)
    scores = query @ key.mT  # (..., L, S)
    if attn_mask is None:
        weights = torch.softmax(scores, dim=-1)  # (..., L, S)
    else:
        hidden = ~attn_mask
        weights = torch.softmax(scores + hidden * BIAS, dim=-1)  # (..., L, S)
    return weights @ value  # (..., L, Ev)
