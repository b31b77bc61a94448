"""Hides the later keys at every call, although nobody asked for a causal mask."""

FIX = "mask nothing of your own: attn_mask alone says which keys are hidden"
KILLED_BY = "matches-formula"

import math

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])  # (..., L, S)
    past = torch.ones_like(scores, dtype=torch.bool).tril()  # (..., L, S)
    scores = scores.masked_fill(~past, float("-inf"))
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, float("-inf"))
    weights = torch.softmax(scores, dim=-1)  # (..., L, S)
    return weights @ value  # (..., L, Ev)
