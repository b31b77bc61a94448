# verdict: fail
# mistake: unlisted
# fails: large-scores-stay-finite
"""Clamps the scores to ±1000, 'which no score ever reaches': right up to there, flat beyond."""

import math

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    scores = (query @ key.mT / math.sqrt(query.shape[-1])).clamp(-1000.0, 1000.0)
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, float("-inf"))
    return torch.softmax(scores, dim=-1) @ value
