"""Sets masked scores to 0, a score like any other, so that hidden keys keep their share of the weight."""

FIX = "fill with -inf instead of 0: exp(-inf) is 0, exp(0) is 1"
KILLED_BY = "mask-selects-keys"

import math

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])  # (..., L, S)
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, 0.0)
    weights = torch.softmax(scores, dim=-1)  # (..., L, S)
    return weights @ value  # (..., L, Ev)
