"""Cuts the scores out of the graph, so that they receive no gradient."""

FIX = "remove detach(), .data or no_grad() around the scores"
KILLED_BY = "score-gradient"

import torch


def causal_mask(seq_len, device=None):
    position = torch.arange(seq_len, device=device)  # (T,)
    return position[None, :] <= position[:, None]  # (T, T): key j along the row, query i down the column


def masked_softmax(scores, mask):
    scores = scores.detach().masked_fill(~mask, float("-inf"))  # (..., L, S)
    return torch.softmax(scores, dim=-1)  # (..., L, S)
