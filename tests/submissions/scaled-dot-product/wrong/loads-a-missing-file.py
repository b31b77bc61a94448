# verdict: unusable
# mistake: unlisted
"""Reads its test data when it is loaded; the file exists only on the author's laptop."""

import math

import torch

query, key, value = torch.load("qkv_example.pt")


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, float("-inf"))
    return torch.softmax(scores, dim=-1) @ value
