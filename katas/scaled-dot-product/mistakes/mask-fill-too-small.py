"""Fills masked scores with -20, which is not low enough: a hidden key keeps some weight."""

FIX = "fill with -inf (or -1e9): a masked key must get the weight 0"
KILLED_BY = "masked-key-has-no-influence"

import math

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])  # (..., L, S)
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, -20.0)
    weights = torch.softmax(scores, dim=-1)  # (..., L, S)
    return weights @ value  # (..., L, Ev)
