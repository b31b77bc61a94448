# verdict: fail
# mistake: mutates-input
# fails: input-unmodified
"""key.transpose_ turns the caller's key round: same numbers, other shape and strides."""

import math

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    scores = query @ key.transpose_(-2, -1) / math.sqrt(query.shape[-1])
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, float("-inf"))
    return torch.softmax(scores, dim=-1) @ value
