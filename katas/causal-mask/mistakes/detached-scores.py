"""Cuts the scores out of the graph, so that they receive no gradient."""

FIX = "stay in torch from the scores to the weights: no detach(), .data, no_grad(), numpy or Python numbers"
KILLED_BY = "score-gradient"

import torch


def causal_mask(seq_len, device=None):
    position = torch.arange(seq_len, device=device)  # (T,)
    return position[None, :] <= position[:, None]  # (T, T): key j along the row, query i down the column


def masked_softmax(scores, mask):
    hidden = ~mask
    weights = torch.softmax(scores.detach().masked_fill(hidden, float("-inf")), dim=-1)  # (..., L, S)
    return weights.masked_fill(hidden, 0.0)  # (..., L, S)
