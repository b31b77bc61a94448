# verdict: fail
# mistake: mask-fill-too-small
# fails: masked-key-has-no-influence
"""Adds -100 to masked scores; a padding key with a large product wins against it."""

import math

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if attn_mask is not None:
        scores = scores + (~attn_mask).to(scores.dtype) * -100.0
    return torch.softmax(scores, dim=-1) @ value
