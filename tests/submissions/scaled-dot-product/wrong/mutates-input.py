# verdict: fail
# mistake: mutates-input
# fails: input-unmodified
"""Scales the query in place with /=, which changes the caller's tensor."""

import math

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    query /= math.sqrt(query.size(-1))
    scores = query @ key.transpose(-2, -1)
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, float("-inf"))
    return torch.softmax(scores, dim=-1) @ value
