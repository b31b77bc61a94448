# verdict: fail
# mistake: swapped-query-key
# fails: matches-formula
"""Computes K Qᵀ instead of Q Kᵀ; only a square example hides it."""

import math

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    scores = torch.matmul(key, query.transpose(-2, -1)) / math.sqrt(key.size(-1))
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, float("-inf"))
    return torch.matmul(torch.softmax(scores, dim=-1), value)
