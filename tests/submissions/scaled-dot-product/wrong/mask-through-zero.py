# verdict: fail
# mistake: unlisted
# fails: mask-selects-keys
"""Multiplies with the mask and then hides every score that is 0, also a visible one that happens to be 0."""

import math

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if attn_mask is not None:
        scores = scores * attn_mask
        scores = scores.masked_fill(scores == 0, float("-inf"))
    return torch.softmax(scores, dim=-1) @ value
