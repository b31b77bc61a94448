"""Inverts the mask in place, which changes the caller's tensor and every later call with it."""

FIX = "make a new tensor: ~mask, or logical_not() without the underscore"
KILLED_BY = "input-unmodified"
VARIANT_OF = "mutates-input"

import torch


def causal_mask(seq_len, device=None):
    position = torch.arange(seq_len, device=device)  # (T,)
    return position[None, :] <= position[:, None]  # (T, T): key j along the row, query i down the column


def masked_softmax(scores, mask):
    hidden = mask.logical_not_()
    weights = torch.softmax(scores.masked_fill(hidden, float("-inf")), dim=-1)  # (..., L, S)
    return weights.masked_fill(hidden, 0.0)  # (..., L, S)
