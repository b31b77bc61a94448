# verdict: fail
# mistake: scale-by-value-dim
# fails: value-width-may-differ
"""Takes the scale from the value's width, which is the same number in every tutorial."""

import math

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    d = value.shape[-1]
    scores = query @ key.mT / math.sqrt(d)
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, -math.inf)
    return torch.softmax(scores, -1) @ value
