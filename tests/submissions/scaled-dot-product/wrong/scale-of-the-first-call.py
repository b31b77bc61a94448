# verdict: fail
# mistake: unlisted
# fails: matches-formula
"""Remembers the scale of the first call in a global, so that every later width is scaled with it."""

import math

import torch

_scale = None


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    global _scale
    if _scale is None:
        _scale = 1.0 / math.sqrt(query.size(-1))
    scores = query @ key.mT * _scale
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, float("-inf"))
    return torch.softmax(scores, dim=-1) @ value
