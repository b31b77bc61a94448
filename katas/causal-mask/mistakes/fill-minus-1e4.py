"""Fills masked scores with -10000, which is not low enough where the visible scores are as low as that."""

FIX = "fill with -inf: exp(-inf) is exactly 0, whatever the other scores are"
KILLED_BY = "masked-weights-are-zero"
VARIANT_OF = "fill-too-small"

import torch


def causal_mask(seq_len, device=None):
    position = torch.arange(seq_len, device=device)  # (T,)
    return position[None, :] <= position[:, None]  # (T, T): key j along the row, query i down the column


def masked_softmax(scores, mask):
    scores = scores.masked_fill(~mask, -1e4)  # (..., L, S)
    return torch.softmax(scores, dim=-1)  # (..., L, S)
