"""Cuts the weights out of the graph, so that query and key receive no gradient."""

FIX = "stay in torch and in the graph: no detach(), .data, no_grad() or numpy around scores and weights"
KILLED_BY = "input-gradients"

import math

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    query = query / math.sqrt(query.shape[-1])  # (..., L, E)
    scores = query @ key.mT  # (..., L, S)
    if attn_mask is None:
        weights = torch.softmax(scores, dim=-1)  # (..., L, S)
    else:
        hidden = ~attn_mask
        weights = torch.softmax(scores.masked_fill(hidden, float("-inf")), dim=-1)  # (..., L, S)
        weights = weights.masked_fill(hidden, 0.0)
    return weights.detach() @ value  # (..., L, Ev)
