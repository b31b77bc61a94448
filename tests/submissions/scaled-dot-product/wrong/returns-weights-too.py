# verdict: fail
# mistake: unlisted
# fails: matches-formula
"""Returns the pair (output, weights), as many tutorials do, where one tensor was asked for."""

import math

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights
