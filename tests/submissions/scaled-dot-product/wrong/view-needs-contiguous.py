# verdict: fail
# mistake: unlisted
# fails: non-contiguous-input
"""Folds the batch with view, which raises on a transposed or sliced input."""

import math

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    *batch, L, E = query.shape
    S, Ev = value.shape[-2:]
    q, k, v = query.view(-1, L, E), key.view(-1, S, E), value.view(-1, S, Ev)
    scores = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(E)
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask.expand(*batch, L, S).reshape(-1, L, S), float("-inf"))
    return torch.bmm(torch.softmax(scores, dim=-1), v).view(*batch, L, Ev)
