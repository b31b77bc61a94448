# verdict: fail
# mistake: unlisted
# fails: any-batch-dimensions
"""Unpacks four dimensions, because in the model the heads are always there."""

import math

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    batch, heads, length, width = query.shape
    scores = torch.einsum("bhld,bhsd->bhls", query, key) / math.sqrt(width)
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, float("-inf"))
    return torch.einsum("bhls,bhsv->bhlv", torch.softmax(scores, dim=-1), value)
