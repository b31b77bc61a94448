"""Adds -10000 to masked scores, which a hidden key survives whose own score is as large as that."""

FIX = "fill with -inf instead of adding: masked_fill(~attn_mask, -inf) forgets the score that stood there"
KILLED_BY = "masked-key-has-no-influence"
VARIANT_OF = "mask-fill-too-small"

import math

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])  # (..., L, S)
    if attn_mask is not None:
        scores = scores + (~attn_mask).to(scores.dtype) * -1e4
    weights = torch.softmax(scores, dim=-1)  # (..., L, S)
    return weights @ value  # (..., L, Ev)
