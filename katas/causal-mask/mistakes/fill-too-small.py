"""Fills masked scores with a number like -20 or -100, which is not low enough: a hidden key keeps some weight."""

FIX = "fill with -inf: exp(-inf) is exactly 0, whatever the other scores are"
KILLED_BY = "masked-weights-are-zero"
VARIANTS = [
    {"FILL": -1e3},
    {"FILL": -100.0},
    {"FILL": -50.0},
    {"FILL": -30.0},
    {"FILL": -25.0},
    {"FILL": -15.0},
    {"FILL": -10.0},
    {"FILL": -5.0},
    {"FILL": -1.0},
]

import torch

FILL = -20.0


def causal_mask(seq_len, device=None):
    position = torch.arange(seq_len, device=device)  # (T,)
    return position[None, :] <= position[:, None]  # (T, T): key j along the row, query i down the column


def masked_softmax(scores, mask):
    hidden = ~mask
    return torch.softmax(scores.masked_fill(hidden, FILL), dim=-1)  # (..., L, S)
