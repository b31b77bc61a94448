# verdict: fail
# mistake: unlisted
# fails: matches-formula
"""Reshapes the key to (E, S) instead of transposing it: the numbers end up in other places."""

import math

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    S, E = key.shape[-2:]
    scores = query @ key.reshape(*key.shape[:-2], E, S) / math.sqrt(E)
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, float("-inf"))
    return torch.softmax(scores, dim=-1) @ value
