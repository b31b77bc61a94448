# verdict: fail
# mistake: no-softmax
# fails: matches-formula
"""Masks with zeros and multiplies the raw scores with the values."""

import math

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    attn = torch.matmul(query, key.mT) / math.sqrt(query.shape[-1])
    if attn_mask is not None:
        attn = attn.masked_fill(~attn_mask, 0.0)
    return torch.matmul(attn, value)
