# verdict: fail
# mistake: softmax-over-queries
# fails: matches-formula
"""Works on the transposed scores (S, L) and forgets that the softmax axis moves along."""

import math

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    scores = torch.matmul(key, query.transpose(-2, -1)) / math.sqrt(query.size(-1))  # (..., S, L)
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask.transpose(-2, -1), float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    return torch.matmul(weights.transpose(-2, -1), value)
