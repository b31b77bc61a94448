"""Sets masked scores to 0, a score like any other, so that hidden keys keep their share of the weight."""

FIX = "fill with -inf instead of 0: exp(-inf) is 0, exp(0) is 1"
KILLED_BY = "masked-weights-are-zero"

import torch


def causal_mask(seq_len, device=None):
    position = torch.arange(seq_len, device=device)  # (T,)
    return position[None, :] <= position[:, None]  # (T, T): key j along the row, query i down the column


def masked_softmax(scores, mask):
    hidden = ~mask
    return torch.softmax(scores.masked_fill(hidden, 0.0), dim=-1)  # (..., L, S)
