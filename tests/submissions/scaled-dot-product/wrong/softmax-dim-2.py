# verdict: fail
# mistake: unlisted
# fails: any-batch-dimensions
"""softmax(dim=2) is the last dimension only where there is exactly one batch dimension."""

import math

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, -1e9)
    return torch.softmax(scores, dim=2) @ value
