# verdict: fail
# mistake: softmax-over-queries
# fails: matches-formula
"""Normalises each column: the weights of one key over all queries sum to one."""

import math

import torch.nn.functional as F


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, -1e9)
    weights = F.softmax(scores, dim=-2)
    return weights @ value
