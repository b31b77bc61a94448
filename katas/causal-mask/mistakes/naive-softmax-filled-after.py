"""Takes exp of the scores without subtracting the maximum, so that large scores end in inf / inf = NaN."""

FIX = "fill the scores with -inf where the mask is False, then use torch.softmax"
KILLED_BY = "large-scores-stay-finite"
VARIANT_OF = "naive-softmax-overflow"

import torch


def causal_mask(seq_len, device=None):
    position = torch.arange(seq_len, device=device)  # (T,)
    return position[None, :] <= position[:, None]  # (T, T): key j along the row, query i down the column


def masked_softmax(scores, mask):
    hidden = ~mask
    exp = torch.exp(scores).masked_fill(hidden, 0.0)  # (..., L, S)
    return exp / exp.sum(dim=-1, keepdim=True)  # (..., L, S)
