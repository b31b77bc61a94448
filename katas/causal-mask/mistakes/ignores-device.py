"""Takes a device and never uses it, so that the mask lies on the default device instead."""

FIX = "hand it on: torch.arange(seq_len, device=device)"
KILLED_BY = "mask-follows-device"

import torch


def causal_mask(seq_len, device=None):
    position = torch.arange(seq_len)  # (T,)
    return position[None, :] <= position[:, None]  # (T, T): key j along the row, query i down the column


def masked_softmax(scores, mask):
    hidden = ~mask
    weights = torch.softmax(scores.masked_fill(hidden, float("-inf")), dim=-1)  # (..., L, S)
    return weights.masked_fill(hidden, 0.0)  # (..., L, S)
