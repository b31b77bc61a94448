"""Sets masked scores to 0, a score like any other, so that hidden keys keep their share of the weight."""

FIX = "fill with -inf instead of 0: exp(-inf) is 0, exp(0) is 1"
KILLED_BY = "mask-selects-keys"

import math

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    query = query / math.sqrt(query.shape[-1])  # (..., L, E)
    scores = query @ key.mT  # (..., L, S)
    if attn_mask is None:
        weights = torch.softmax(scores, dim=-1)  # (..., L, S)
    else:
        hidden = ~attn_mask
        weights = torch.softmax(scores.masked_fill(hidden, 0.0), dim=-1)  # (..., L, S)
    return weights @ value  # (..., L, Ev)
