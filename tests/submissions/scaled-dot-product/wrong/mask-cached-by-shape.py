# verdict: fail
# mistake: unlisted
# fails: mask-selects-keys
"""Builds the additive mask once for each shape; a second mask of that shape is never looked at."""

import math

import torch

_biases = {}


def _bias(mask, dtype):
    if (mask.shape, dtype) not in _biases:
        _biases[mask.shape, dtype] = torch.zeros(mask.shape, dtype=dtype).masked_fill(~mask, -math.inf)
    return _biases[mask.shape, dtype]


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if attn_mask is not None:
        scores = scores + _bias(attn_mask, scores.dtype)
    return torch.softmax(scores, dim=-1) @ value
