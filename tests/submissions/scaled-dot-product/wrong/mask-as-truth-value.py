# verdict: fail
# mistake: unlisted
# fails: mask-selects-keys
"""Writes `if attn_mask:`, which has no meaning for a tensor of several elements and raises."""

import math

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if attn_mask:
        scores = scores.masked_fill(~attn_mask, float("-inf"))
    return torch.softmax(scores, dim=-1) @ value
