"""Takes exp of the scores without subtracting the maximum, so that large scores end in inf / inf = NaN."""

FIX = "use torch.softmax, or subtract scores.amax(dim=-1, keepdim=True) before exp"
KILLED_BY = "large-scores-stay-finite"

import torch


def causal_mask(seq_len, device=None):
    position = torch.arange(seq_len, device=device)  # (T,)
    return position[None, :] <= position[:, None]  # (T, T): key j along the row, query i down the column


def masked_softmax(scores, mask):
    scores = scores.masked_fill(~mask, float("-inf"))  # (..., L, S)
    exp = torch.exp(scores)
    return exp / exp.sum(dim=-1, keepdim=True)  # (..., L, S)
