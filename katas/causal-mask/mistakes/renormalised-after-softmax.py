"""Hides the masked keys only after exp, then divides by the rest, which is 0 when a masked score is far above the others."""

FIX = "fill the scores with -inf where the mask is False, before the softmax: masked_fill(~mask, -inf)"
KILLED_BY = "masked-score-has-no-influence"
VARIANTS = [{"FLOOR": 1e-9}]

import torch

FLOOR = 0.0


def causal_mask(seq_len, device=None):
    position = torch.arange(seq_len, device=device)  # (T,)
    return position[None, :] <= position[:, None]  # (T, T): key j along the row, query i down the column


def masked_softmax(scores, mask):
    hidden = ~mask
    weights = torch.softmax(scores, dim=-1)  # (..., L, S)
    weights = weights.masked_fill(hidden, 0.0)  # (..., L, S)
    return weights / weights.sum(dim=-1, keepdim=True).clamp(min=FLOOR)  # (..., L, S)
