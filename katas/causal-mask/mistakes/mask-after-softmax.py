"""Zeroes the masked weights after the softmax, so that the weights left over no longer sum to one."""

FIX = "fill the scores with -inf where the mask is False, before the softmax: masked_fill(~mask, -inf)"
KILLED_BY = "weights-sum-to-one"

import torch


def causal_mask(seq_len, device=None):
    position = torch.arange(seq_len, device=device)  # (T,)
    return position[None, :] <= position[:, None]  # (T, T): key j along the row, query i down the column


def masked_softmax(scores, mask):
    hidden = ~mask
    weights = torch.softmax(scores, dim=-1)  # (..., L, S)
    return weights.masked_fill(hidden, 0.0)  # (..., L, S)
