# verdict: fail
# mistake: unlisted
# fails: any-batch-dimensions, matches-formula
"""Uses the keys and values of the first batch element for all: it was written while the batch was one."""

import math

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    if key.dim() > 2:
        key, value = key[:1], value[:1]
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, float("-inf"))
    return torch.softmax(scores, dim=-1) @ value
