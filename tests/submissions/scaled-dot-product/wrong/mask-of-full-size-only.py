# verdict: fail
# mistake: unlisted
# fails: mask-broadcasts
"""Assigns through a boolean index, which needs a mask as large as the scores and does not broadcast."""

import math

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if attn_mask is not None:
        scores[~attn_mask] = float("-inf")
    return torch.softmax(scores, dim=-1) @ value
