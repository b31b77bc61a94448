"""Adds a number like 1e-5 to the softmax's denominator, so that the weights sum to a little less than one."""

FIX = "add nothing: once the maximum is subtracted the denominator is at least 1"
KILLED_BY = "weights-sum-to-one"
VARIANTS = [{"EPS": 1e-6}, {"EPS": 1e-4}, {"EPS": 1e-3}, {"EPS": 1e-7}, {"EPS": 1e-8}]

import torch

EPS = 1e-5


def causal_mask(seq_len, device=None):
    position = torch.arange(seq_len, device=device)  # (T,)
    return position[None, :] <= position[:, None]  # (T, T): key j along the row, query i down the column


def masked_softmax(scores, mask):
    hidden = ~mask
    visible = scores.masked_fill(hidden, float("-inf"))  # (..., L, S)
    exp = torch.exp(visible - visible.amax(dim=-1, keepdim=True))  # (..., L, S)
    weights = exp / (exp.sum(dim=-1, keepdim=True) + EPS)  # (..., L, S)
    return weights.masked_fill(hidden, 0.0)  # (..., L, S)
