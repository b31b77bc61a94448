"""Fills masked scores with the smallest score less some constant: a hidden key keeps a tiny weight."""

FIX = "fill with -inf (or -1e9): a masked key must get the weight 0"
KILLED_BY = "masked-key-has-no-influence"
VARIANT_OF = "mask-fill-too-small"
VARIANTS = [{"GAP": 20.0}, {"GAP": 10.0}, {"GAP": 1.0}]

import math

import torch

GAP = 30.0


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    query = query / math.sqrt(query.shape[-1])  # (..., L, E)
    scores = query @ key.mT  # (..., L, S)
    if attn_mask is None:
        weights = torch.softmax(scores, dim=-1)  # (..., L, S)
    else:
        hidden = ~attn_mask
        weights = torch.softmax(scores.masked_fill(hidden, scores.detach().min() - GAP), dim=-1)  # (..., L, S)
    return weights @ value  # (..., L, Ev)
