# verdict: fail
# mistake: mask-added-as-number
# fails: mask-selects-keys
"""Adds the bool mask to the scores as if it were a float bias: one point more for a visible key."""

import math

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if attn_mask is not None:
        scores = scores + attn_mask
    return torch.softmax(scores, dim=-1) @ value
