# verdict: fail
# mistake: unlisted
# fails: repeatable
"""Caches the scaled key by its address, for decoding; fresh contents at that address meet the stale copy."""

import math

import torch

_cache = {}


def _scaled(key):
    tag = (key.data_ptr(), key.shape, key.stride(), key.dtype)
    if key.requires_grad:
        return key / math.sqrt(key.shape[-1])
    if tag not in _cache:
        _cache[tag] = key / math.sqrt(key.shape[-1])
    return _cache[tag]


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    scores = query @ _scaled(key).mT
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, float("-inf"))
    return torch.softmax(scores, dim=-1) @ value
