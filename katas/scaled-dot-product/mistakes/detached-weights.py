"""Cuts the weights out of the graph, so that query and key receive no gradient."""

FIX = "remove detach(), .data or no_grad() around scores and weights"
KILLED_BY = "input-gradients"

import math

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])  # (..., L, S)
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, float("-inf"))
    weights = torch.softmax(scores, dim=-1).detach()  # (..., L, S)
    return weights @ value  # (..., L, Ev)
