"""Fills masked scores before they are divided by √E, with a number like -10000 that is not low enough after that."""

FIX = "fill with -inf (or -1e9): a masked key must get the weight 0"
KILLED_BY = "masked-key-has-no-influence"
VARIANT_OF = "mask-fill-too-small"
VARIANTS = [{"FILL": -1e3}, {"FILL": -100.0}, {"FILL": -50.0}, {"FILL": -20.0}, {"FILL": -10.0}]

import math

import torch

FILL = -1e4


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    scores = query @ key.mT  # (..., L, S)
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, FILL)
    weights = torch.softmax(scores / math.sqrt(query.shape[-1]), dim=-1)  # (..., L, S)
    return weights @ value  # (..., L, Ev)
