# verdict: unusable
# mistake: unlisted
"""Defines `attention`; the entry symbol is missing, so there is nothing to grade."""

import math

import torch


def attention(query, key, value, attn_mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, float("-inf"))
    return torch.softmax(scores, dim=-1) @ value
