"""Returns the upper triangle, so that a token sees itself and the future instead of the past."""

FIX = "swap rows and columns: True where key j <= query i, that is tril(), not triu()"
KILLED_BY = "mask-is-lower-triangle"

import torch


def causal_mask(seq_len, device=None):
    position = torch.arange(seq_len, device=device)  # (T,)
    return position[None, :] >= position[:, None]  # (T, T): key j along the row, query i down the column


def masked_softmax(scores, mask):
    hidden = ~mask
    weights = torch.softmax(scores.masked_fill(hidden, float("-inf")), dim=-1)  # (..., L, S)
    return weights.masked_fill(hidden, 0.0)  # (..., L, S)
