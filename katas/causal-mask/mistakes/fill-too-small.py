"""Fills masked scores with -20, which is not low enough: a hidden key keeps some weight."""

FIX = "fill with -inf: exp(-inf) is exactly 0, whatever the other scores are"
KILLED_BY = "masked-weights-are-zero"

import torch


def causal_mask(seq_len, device=None):
    position = torch.arange(seq_len, device=device)  # (T,)
    return position[None, :] <= position[:, None]  # (T, T): key j along the row, query i down the column


def masked_softmax(scores, mask):
    scores = scores.masked_fill(~mask, -20.0)  # (..., L, S)
    return torch.softmax(scores, dim=-1)  # (..., L, S)
