# verdict: fail
# mistake: mask-fill-too-small
# fails: masked-key-has-no-influence
"""Fills with -20 because exp(-20) looks like zero; large padding values leak through it."""

import math

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, -20.0)
    return torch.softmax(scores, dim=-1) @ value
