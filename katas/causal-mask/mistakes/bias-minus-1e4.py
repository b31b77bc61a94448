"""Adds -10000 to masked scores, which a hidden key survives whose own score is as large as that."""

FIX = "fill with -inf instead of adding: masked_fill(~mask, -inf) forgets the score that stood there"
KILLED_BY = "masked-score-has-no-influence"
VARIANT_OF = "fill-too-small"

import torch


def causal_mask(seq_len, device=None):
    position = torch.arange(seq_len, device=device)  # (T,)
    return position[None, :] <= position[:, None]  # (T, T): key j along the row, query i down the column


def masked_softmax(scores, mask):
    scores = scores + (~mask).to(scores.dtype) * -1e4  # (..., L, S)
    return torch.softmax(scores, dim=-1)  # (..., L, S)
