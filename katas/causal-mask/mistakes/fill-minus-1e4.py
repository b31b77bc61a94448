"""Fills masked scores with about -10000, which is not low enough where the visible scores are as low as that."""

FIX = "fill with -inf: exp(-inf) is exactly 0, whatever the other scores are"
KILLED_BY = "masked-weights-are-zero"
VARIANT_OF = "fill-too-small"
VARIANTS = [{"FILL": -9999.0}]

import torch

FILL = -1e4


def causal_mask(seq_len, device=None):
    position = torch.arange(seq_len, device=device)  # (T,)
    return position[None, :] <= position[:, None]  # (T, T): key j along the row, query i down the column


def masked_softmax(scores, mask):
    hidden = ~mask
    return torch.softmax(scores.masked_fill(hidden, FILL), dim=-1)  # (..., L, S)
