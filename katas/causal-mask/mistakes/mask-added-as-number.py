"""Adds the boolean mask to the scores as 0 or 1, so that visible keys gain a point and hidden keys stay in."""

FIX = "fill the scores with -inf where the mask is False, before the softmax: masked_fill(~mask, -inf)"
KILLED_BY = "masked-weights-are-zero"

import torch


def causal_mask(seq_len, device=None):
    position = torch.arange(seq_len, device=device)  # (T,)
    return position[None, :] <= position[:, None]  # (T, T): key j along the row, query i down the column


def masked_softmax(scores, mask):
    return torch.softmax(scores + mask, dim=-1)  # (..., L, S)
