# verdict: fail
# mistake: unlisted
# fails: mask-selects-keys
"""Reads the mask as (S, L): which key sees this query."""

import math

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask.transpose(-2, -1), float("-inf"))
    return torch.softmax(scores, dim=-1) @ value
