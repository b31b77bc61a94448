# verdict: fail
# mistake: global-maximum
# fails: large-scores-stay-finite
"""Takes off one maximum for the whole tensor: a row far below it underflows to 0/0."""

import math

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, float("-inf"))
    e = torch.exp(scores - scores.max())
    return e / e.sum(-1, keepdim=True) @ value
