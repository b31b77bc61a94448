# verdict: fail
# mistake: eps-in-denominator
# fails: matches-formula
# dtypes: float64
"""Adds 1e-5 to the softmax denominator against a division by zero that cannot happen."""

import math

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, float("-inf"))
    e = torch.exp(scores - scores.amax(-1, keepdim=True))
    return (e / (e.sum(-1, keepdim=True) + 1e-5)) @ value
