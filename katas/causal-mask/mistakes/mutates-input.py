"""Fills the scores in place with masked_fill_, which changes the caller's tensor."""

FIX = "make a new tensor: masked_fill without the underscore"
KILLED_BY = "input-unmodified"

import torch


def causal_mask(seq_len, device=None):
    position = torch.arange(seq_len, device=device)  # (T,)
    return position[None, :] <= position[:, None]  # (T, T): key j along the row, query i down the column


def masked_softmax(scores, mask):
    hidden = ~mask
    scores.masked_fill_(hidden, float("-inf"))  # (..., L, S)
    weights = torch.softmax(scores, dim=-1)  # (..., L, S)
    return weights.masked_fill(hidden, 0.0)  # (..., L, S)
