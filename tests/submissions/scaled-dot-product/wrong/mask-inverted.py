# verdict: fail
# mistake: mask-inverted
# fails: mask-selects-keys
"""Fills where the mask is True, as key_padding_mask wants it elsewhere in the library."""

import math

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if attn_mask is not None:
        scores = scores.masked_fill(attn_mask, -1e9)
    return torch.softmax(scores, dim=-1) @ value
