# verdict: fail
# mistake: unlisted
# fails: input-gradients
"""Reads the key through .data, an old habit: the key never learns."""

import math

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    scores = torch.matmul(query, key.data.transpose(-2, -1)) / math.sqrt(query.size(-1))
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, float("-inf"))
    return torch.matmul(torch.softmax(scores, dim=-1), value)
