"""Takes a device and never uses it, so that the mask lies on the default device instead."""

FIX = "hand it on: torch.arange(seq_len, device=device)"
KILLED_BY = "mask-follows-device"

import torch


def causal_mask(seq_len, device=None):
    position = torch.arange(seq_len)  # (T,)
    return position[None, :] <= position[:, None]  # (T, T): key j along the row, query i down the column


def masked_softmax(scores, mask):
    scores = scores.masked_fill(~mask, float("-inf"))  # (..., L, S)
    return torch.softmax(scores, dim=-1)  # (..., L, S)
