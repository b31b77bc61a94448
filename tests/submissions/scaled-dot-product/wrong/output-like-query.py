# verdict: fail
# mistake: unlisted
# fails: value-width-may-differ
"""Allocates the output like the query, so that it has the query's width and not the value's."""

import math

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    out = torch.zeros_like(query)
    for j in range(key.shape[-2]):
        out = out + weights[..., j : j + 1] * value[..., j : j + 1, :]
    return out.view(query.shape)
