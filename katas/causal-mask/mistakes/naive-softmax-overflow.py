"""Takes exp of the scores without subtracting the maximum, so that large scores end in inf / inf = NaN."""

FIX = "use torch.softmax, or subtract scores.amax(dim=-1, keepdim=True) before exp"
KILLED_BY = "large-scores-stay-finite"
VARIANTS = [{"EPS": 1e-9}, {"EPS": 1e-8}, {"EPS": 1e-6}]

import torch

EPS = 0.0


def causal_mask(seq_len, device=None):
    position = torch.arange(seq_len, device=device)  # (T,)
    return position[None, :] <= position[:, None]  # (T, T): key j along the row, query i down the column


def masked_softmax(scores, mask):
    hidden = ~mask
    exp = torch.exp(scores.masked_fill(hidden, float("-inf")))  # (..., L, S)
    weights = exp / (exp.sum(dim=-1, keepdim=True) + EPS)  # (..., L, S)
    return weights.masked_fill(hidden, 0.0)  # (..., L, S)
