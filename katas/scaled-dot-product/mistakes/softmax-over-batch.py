"""Takes the softmax over dimension 0, the batch, so that the batch elements compete for weight."""

FIX = "take the softmax over the keys, the last dimension of the scores: dim=-1"
KILLED_BY = "matches-formula"

import math

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])  # (..., L, S)
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, float("-inf"))
    weights = torch.softmax(scores, dim=0)  # (..., L, S)
    return weights @ value  # (..., L, Ev)
