"""Draws the triangle one diagonal too high, so that every token sees the next one."""

FIX = "stop at the main diagonal: True where j <= i, tril() without diagonal=1"
KILLED_BY = "mask-is-lower-triangle"

import torch


def causal_mask(seq_len, device=None):
    position = torch.arange(seq_len, device=device)  # (T,)
    return position[None, :] <= position[:, None] + 1  # (T, T): key j along the row, query i down the column


def masked_softmax(scores, mask):
    hidden = ~mask
    weights = torch.softmax(scores.masked_fill(hidden, float("-inf")), dim=-1)  # (..., L, S)
    return weights.masked_fill(hidden, 0.0)  # (..., L, S)
