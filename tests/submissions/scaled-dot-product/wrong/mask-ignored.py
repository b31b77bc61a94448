# verdict: fail
# mistake: mask-ignored
# fails: mask-selects-keys
"""Calls masked_fill and throws its result away: the version without underscore works on a copy."""

import math

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if attn_mask is not None:
        scores.masked_fill(~attn_mask, float("-inf"))
    return torch.softmax(scores, dim=-1) @ value
