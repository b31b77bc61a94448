# verdict: fail
# mistake: mask-after-softmax
# fails: mask-selects-keys
"""Zeroes the values of padded keys but leaves their scores in the softmax, so that the rest sums to less than one."""

import math

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    weights = torch.softmax(query @ key.mT / math.sqrt(query.shape[-1]), dim=-1)
    if attn_mask is None:
        return weights @ value
    visible = attn_mask.unsqueeze(-1)  # (..., L, S, 1)
    shown = value.unsqueeze(-3) * visible  # (..., L, S, Ev)
    return (weights.unsqueeze(-1) * shown).sum(-2)
