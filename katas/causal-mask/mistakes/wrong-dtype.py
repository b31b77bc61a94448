"""Returns the mask as numbers instead of bool, so that ~mask and masked_fill cannot use it."""

FIX = "make it bool: compare positions, or start from torch.ones(..., dtype=torch.bool)"
KILLED_BY = "mask-is-bool"

import torch


def causal_mask(seq_len, device=None):
    position = torch.arange(seq_len, device=device)  # (T,)
    return (position[None, :] <= position[:, None]).float()  # (T, T): key j along the row, query i down the column


def masked_softmax(scores, mask):
    scores = scores.masked_fill(mask == 0, float("-inf"))  # (..., L, S)
    return torch.softmax(scores, dim=-1)  # (..., L, S)
