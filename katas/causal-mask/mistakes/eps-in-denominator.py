"""Adds 1e-5 to the softmax's denominator, so that the weights sum to a little less than one."""

FIX = "add nothing: once the maximum is subtracted the denominator is at least 1"
KILLED_BY = "weights-sum-to-one"

import torch


def causal_mask(seq_len, device=None):
    position = torch.arange(seq_len, device=device)  # (T,)
    return position[None, :] <= position[:, None]  # (T, T): key j along the row, query i down the column


def masked_softmax(scores, mask):
    scores = scores.masked_fill(~mask, float("-inf"))  # (..., L, S)
    exp = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
    return exp / (exp.sum(dim=-1, keepdim=True) + 1e-5)  # (..., L, S)
