# verdict: fail
# mistake: unlisted
# fails: matches-formula
"""Writes the scale of the paper, 1/8, into the code: right for heads of width 64 alone."""

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    scores = query @ key.mT * 0.125
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, float("-inf"))
    return torch.softmax(scores, dim=-1) @ value
