"""Fills masked scores with a number like -20 or -100, which is not low enough: a hidden key keeps some weight."""

FIX = "fill with -inf (or -1e9): a masked key must get the weight 0"
KILLED_BY = "masked-key-has-no-influence"
VARIANTS = [
    {"FILL": -100.0},
    {"FILL": -30.0},
    {"FILL": -25.0},
    {"FILL": -15.0},
    {"FILL": -10.0},
    {"FILL": -5.0},
    {"FILL": -1.0},
]

import math

import torch

FILL = -20.0


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    query = query / math.sqrt(query.shape[-1])  # (..., L, E)
    scores = query @ key.mT  # (..., L, S)
    if attn_mask is None:
        weights = torch.softmax(scores, dim=-1)  # (..., L, S)
    else:
        hidden = ~attn_mask
        weights = torch.softmax(scores.masked_fill(hidden, FILL), dim=-1)  # (..., L, S)
    return weights @ value  # (..., L, Ev)
