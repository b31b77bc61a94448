"""Returns the mask as numbers instead of bool, and its softmax subtracts the mask from 1, which a bool mask refuses."""

FIX = "make it bool: compare positions, or start from torch.ones(..., dtype=torch.bool)"
KILLED_BY = "mask-is-bool"
VARIANT_OF = "wrong-dtype"
VARIANTS = [{"DTYPE": "int64"}, {"DTYPE": "uint8"}, {"DTYPE": "int32"}, {"DTYPE": "float64"}, {"DTYPE": "int8"}]

import torch

DTYPE = "float32"


def causal_mask(seq_len, device=None):
    position = torch.arange(seq_len, device=device)  # (T,)
    mask = position[None, :] <= position[:, None]  # (T, T): key j along the row, query i down the column
    return mask.to(getattr(torch, DTYPE))


def masked_softmax(scores, mask):
    bias = (1.0 - mask) * -1e9  # (..., L, S)
    return torch.softmax(scores + bias, dim=-1)  # (..., L, S)
