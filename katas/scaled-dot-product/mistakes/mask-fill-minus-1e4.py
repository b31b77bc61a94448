"""Fills masked scores with -10000, which is not low enough where the visible scores are as low as that."""

FIX = "fill with -inf (or -1e9): a masked key must get the weight 0"
KILLED_BY = "masked-key-has-no-influence"
VARIANT_OF = "mask-fill-too-small"

import math

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])  # (..., L, S)
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, -1e4)
    weights = torch.softmax(scores, dim=-1)  # (..., L, S)
    return weights @ value  # (..., L, Ev)
