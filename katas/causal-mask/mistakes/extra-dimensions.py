"""Returns the mask with further dimensions in front, ready for batch and heads; asked for is (T, T), which broadcasts."""

FIX = "return two dimensions: (seq_len, seq_len)"
KILLED_BY = "mask-is-lower-triangle"
VARIANTS = [{"LEADING": 1}]

import torch

LEADING = 2


def causal_mask(seq_len, device=None):
    position = torch.arange(seq_len, device=device)  # (T,)
    mask = position[None, :] <= position[:, None]  # (T, T): key j along the row, query i down the column
    return mask.reshape(*[1] * LEADING, seq_len, seq_len)  # (1, 1, T, T)


def masked_softmax(scores, mask):
    hidden = ~mask
    weights = torch.softmax(scores.masked_fill(hidden, float("-inf")), dim=-1)  # (..., L, S)
    return weights.masked_fill(hidden, 0.0)  # (..., L, S)
