"""Hides the later keys at every call, counted from the last one, although nobody asked for a causal mask."""

FIX = "mask nothing of your own: attn_mask alone says which keys are hidden"
KILLED_BY = "matches-formula"
VARIANT_OF = "always-causal"

import math

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    query = query / math.sqrt(query.shape[-1])  # (..., L, E)
    scores = query @ key.mT  # (..., L, S)
    L, S = scores.shape[-2:]
    later = torch.ones_like(scores, dtype=torch.bool).triu(diagonal=S - L + 1)  # (..., L, S)
    scores = scores.masked_fill(later, float("-inf"))
    if attn_mask is None:
        weights = torch.softmax(scores, dim=-1)  # (..., L, S)
    else:
        hidden = ~attn_mask
        weights = torch.softmax(scores.masked_fill(hidden, float("-inf")), dim=-1)  # (..., L, S)
        weights = weights.masked_fill(hidden, 0.0)
    return weights @ value  # (..., L, Ev)
