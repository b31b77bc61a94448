"""Fills masked scores with about -10000, which is not low enough where the visible scores are as low as that."""

FIX = "fill with -inf (or -1e9): a masked key must get the weight 0"
KILLED_BY = "masked-key-has-no-influence"
VARIANT_OF = "mask-fill-too-small"
VARIANTS = [{"FILL": -9999.0}]

import math

import torch

FILL = -1e4


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    query = query / math.sqrt(query.shape[-1])  # (..., L, E)
    scores = query @ key.mT  # (..., L, S)
    if attn_mask is None:
        weights = torch.softmax(scores, dim=-1)  # (..., L, S)
    else:
        hidden = ~attn_mask
        weights = torch.softmax(scores.masked_fill(hidden, FILL), dim=-1)  # (..., L, S)
    return weights @ value  # (..., L, Ev)
