# verdict: fail
# mistake: unlisted
# fails: any-batch-dimensions
"""Adds a batch dimension to plain matrices and does not take it off again: (1, L, Ev)."""

import math

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    if query.dim() == 2:
        query, key, value = query.unsqueeze(0), key.unsqueeze(0), value.unsqueeze(0)
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, float("-inf"))
    return torch.softmax(scores, dim=-1) @ value
