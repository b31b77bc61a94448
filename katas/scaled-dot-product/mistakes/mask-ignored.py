"""Takes the mask and never uses it, so that every query attends to every key."""

FIX = "fill the scores with -inf where the mask is False, before the softmax: masked_fill(~attn_mask, -inf)"
KILLED_BY = "mask-selects-keys"

import math

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    query = query / math.sqrt(query.shape[-1])  # (..., L, E)
    scores = query @ key.mT  # (..., L, S)
    weights = torch.softmax(scores, dim=-1)  # (..., L, S)
    return weights @ value  # (..., L, Ev)
