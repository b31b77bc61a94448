# verdict: fail
# mistake: mask-after-softmax
# fails: mask-selects-keys
"""Zeroes the masked weights after the softmax and does not normalise them again."""

import math

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(query.size(-1))
    weights = torch.softmax(scores, dim=-1)
    if attn_mask is not None:
        weights = weights.masked_fill(attn_mask == 0, 0.0)
    return torch.matmul(weights, value)
