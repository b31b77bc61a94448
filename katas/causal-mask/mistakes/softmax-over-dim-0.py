"""Takes the softmax over dimension 0, the queries of a plain matrix and the batch of everything else."""

FIX = "take the softmax over the keys, the last dimension of the scores: dim=-1"
KILLED_BY = "weights-sum-to-one"
VARIANT_OF = "softmax-over-queries"
VARIANTS = [{"HIDDEN": -1e9}]

import torch

HIDDEN = float("-inf")


def causal_mask(seq_len, device=None):
    position = torch.arange(seq_len, device=device)  # (T,)
    return position[None, :] <= position[:, None]  # (T, T): key j along the row, query i down the column


def masked_softmax(scores, mask):
    hidden = ~mask
    return torch.softmax(scores.masked_fill(hidden, HIDDEN), dim=0)  # (..., L, S)
