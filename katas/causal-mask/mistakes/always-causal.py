"""Adds the causal triangle inside masked_softmax, so that keys are hidden which the mask shows."""

FIX = "hide nothing of your own in masked_softmax: the mask alone says what is visible"
KILLED_BY = "weights-match-formula"

import torch


def causal_mask(seq_len, device=None):
    position = torch.arange(seq_len, device=device)  # (T,)
    return position[None, :] <= position[:, None]  # (T, T): key j along the row, query i down the column


def masked_softmax(scores, mask):
    past = torch.ones_like(scores, dtype=torch.bool).tril()  # (..., L, S)
    hidden = ~(mask & past)
    weights = torch.softmax(scores.masked_fill(hidden, float("-inf")), dim=-1)  # (..., L, S)
    return weights.masked_fill(hidden, 0.0)  # (..., L, S)
