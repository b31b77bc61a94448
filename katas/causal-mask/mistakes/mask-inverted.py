"""Takes True for 'hidden' in both functions; here True means that the query may see the key."""

FIX = "make the mask True where j <= i, and fill the scores where it is False"
KILLED_BY = "weights-match-formula"

import torch


def causal_mask(seq_len, device=None):
    position = torch.arange(seq_len, device=device)  # (T,)
    return position[None, :] > position[:, None]  # (T, T): key j along the row, query i down the column


def masked_softmax(scores, mask):
    hidden = mask
    weights = torch.softmax(scores.masked_fill(hidden, float("-inf")), dim=-1)  # (..., L, S)
    return weights.masked_fill(hidden, 0.0)  # (..., L, S)
