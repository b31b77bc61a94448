# verdict: fail
# mistake: mask-fill-too-small
# fails: masked-key-has-no-influence
"""Fills with the smallest score less 30, which adapts to the input and still leaves a weight of exp(-30) or more."""

import math

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if attn_mask is not None:
        low = scores.min().item() - 30.0
        scores = scores.masked_fill(~attn_mask, low)
    return torch.softmax(scores, dim=-1) @ value
