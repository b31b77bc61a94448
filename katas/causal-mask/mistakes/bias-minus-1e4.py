"""Adds a number like -10000 to masked scores, which a hidden key survives whose own score is large."""

FIX = "fill with -inf instead of adding: masked_fill(~mask, -inf) forgets the score that stood there"
KILLED_BY = "masked-score-has-no-influence"
VARIANT_OF = "fill-too-small"
VARIANTS = [
    {"BIAS": -1e3},
    {"BIAS": -100.0},
    {"BIAS": -50.0},
    {"BIAS": -30.0},
    {"BIAS": -20.0},
    {"BIAS": -10.0},
    {"BIAS": -5.0},
]

import torch

BIAS = -1e4


def causal_mask(seq_len, device=None):
    position = torch.arange(seq_len, device=device)  # (T,)
    return position[None, :] <= position[:, None]  # (T, T): key j along the row, query i down the column


def masked_softmax(scores, mask):
    hidden = ~mask
    return torch.softmax(scores + hidden * BIAS, dim=-1)  # (..., L, S)
