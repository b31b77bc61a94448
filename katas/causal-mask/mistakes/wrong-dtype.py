"""Returns the mask as numbers instead of bool, so that ~mask and masked_fill cannot use it."""

FIX = "make it bool: compare positions, or start from torch.ones(..., dtype=torch.bool)"
KILLED_BY = "mask-is-bool"
VARIANTS = [{"DTYPE": "int64"}, {"DTYPE": "uint8"}, {"DTYPE": "int32"}, {"DTYPE": "float64"}, {"DTYPE": "int8"}]

import torch

DTYPE = "float32"


def causal_mask(seq_len, device=None):
    position = torch.arange(seq_len, device=device)  # (T,)
    mask = position[None, :] <= position[:, None]  # (T, T): key j along the row, query i down the column
    return mask.to(getattr(torch, DTYPE))


def masked_softmax(scores, mask):
    hidden = mask == 0
    weights = torch.softmax(scores.masked_fill(hidden, float("-inf")), dim=-1)  # (..., L, S)
    return weights.masked_fill(hidden, 0.0)  # (..., L, S)
