# verdict: fail
# mistake: unlisted
# fails: matches-formula
"""Multiplies in float16 for speed and casts back: three digits are left."""

import math

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    scores = (query.half() @ key.half().mT).to(query.dtype) / math.sqrt(query.shape[-1])
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    return (weights.half() @ value.half()).to(query.dtype)
