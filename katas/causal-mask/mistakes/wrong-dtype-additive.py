"""Returns numbers to be added to the scores, 0 and -inf, instead of a bool mask."""

FIX = "return the comparison itself, which is bool: True where the query may see the key"
KILLED_BY = "mask-is-bool"
VARIANT_OF = "wrong-dtype"
VARIANTS = [{"HIDDEN": "-1e9"}]

import torch

HIDDEN = "-inf"


def causal_mask(seq_len, device=None):
    position = torch.arange(seq_len, device=device)  # (T,)
    mask = position[None, :] <= position[:, None]  # (T, T): key j along the row, query i down the column
    return torch.zeros(mask.shape, device=device).masked_fill(~mask, float(HIDDEN))


def masked_softmax(scores, mask):
    hidden = ~mask if mask.dtype == torch.bool else mask < 0
    weights = torch.softmax(scores.masked_fill(hidden, float("-inf")), dim=-1)  # (..., L, S)
    return weights.masked_fill(hidden, 0.0)  # (..., L, S)
