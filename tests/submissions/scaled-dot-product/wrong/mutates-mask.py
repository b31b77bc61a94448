# verdict: fail
# mistake: mutates-input
# fails: input-unmodified
"""Inverts the caller's mask in place; the answer is right and the next call with that mask is not."""

import math

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if attn_mask is not None:
        hidden = attn_mask.logical_not_()
        scores = scores.masked_fill(hidden, float("-inf"))
    return torch.softmax(scores, dim=-1) @ value
