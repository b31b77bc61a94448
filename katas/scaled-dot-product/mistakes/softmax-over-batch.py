"""Takes the softmax over dimension 0, the batch, so that the batch elements compete for weight."""

FIX = "take the softmax over the keys, the last dimension of the scores: dim=-1"
KILLED_BY = "matches-formula"
VARIANTS = [{"HIDDEN": -1e9}]

import math

import torch

HIDDEN = float("-inf")


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    query = query / math.sqrt(query.shape[-1])  # (..., L, E)
    scores = query @ key.mT  # (..., L, S)
    if attn_mask is None:
        weights = torch.softmax(scores, dim=0)  # (..., L, S)
    else:
        hidden = ~attn_mask
        weights = torch.softmax(scores.masked_fill(hidden, HIDDEN), dim=0)  # (..., L, S)
    return weights @ value  # (..., L, Ev)
