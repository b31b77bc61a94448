"""Makes the mask True for the future keys, which are to be hidden; True means that the query may see the key."""

FIX = "make the mask True where j <= i: tril(), not triu(diagonal=1)"
KILLED_BY = "mask-is-lower-triangle"
VARIANT_OF = "mask-inverted"

import torch


def causal_mask(seq_len, device=None):
    position = torch.arange(seq_len, device=device)  # (T,)
    return position[None, :] > position[:, None]  # (T, T): key j along the row, query i down the column


def masked_softmax(scores, mask):
    hidden = ~mask
    weights = torch.softmax(scores.masked_fill(hidden, float("-inf")), dim=-1)  # (..., L, S)
    return weights.masked_fill(hidden, 0.0)  # (..., L, S)
