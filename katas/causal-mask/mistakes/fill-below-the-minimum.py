"""Fills masked scores with the smallest score less some constant: a hidden key keeps a tiny weight."""

FIX = "fill with -inf: exp(-inf) is exactly 0, whatever the other scores are"
KILLED_BY = "masked-weights-are-zero"
VARIANT_OF = "fill-too-small"
VARIANTS = [{"GAP": 50.0}, {"GAP": 20.0}, {"GAP": 10.0}, {"GAP": 1.0}]

import torch

GAP = 100.0


def causal_mask(seq_len, device=None):
    position = torch.arange(seq_len, device=device)  # (T,)
    return position[None, :] <= position[:, None]  # (T, T): key j along the row, query i down the column


def masked_softmax(scores, mask):
    hidden = ~mask
    return torch.softmax(scores.masked_fill(hidden, scores.detach().min() - GAP), dim=-1)  # (..., L, S)
