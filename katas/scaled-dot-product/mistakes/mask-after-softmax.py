"""Zeroes the masked weights after the softmax, so that the weights left over no longer sum to one."""

FIX = "fill the scores with -inf where the mask is False, before the softmax: masked_fill(~attn_mask, -inf)"
KILLED_BY = "mask-selects-keys"

import math

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])  # (..., L, S)
    weights = torch.softmax(scores, dim=-1)  # (..., L, S)
    if attn_mask is not None:
        weights = weights * attn_mask
    return weights @ value  # (..., L, Ev)
