"""Returns the mask as (1, 1, T, T), ready for batch and heads; asked for is (T, T), which broadcasts by itself."""

FIX = "return two dimensions: (seq_len, seq_len)"
KILLED_BY = "mask-is-lower-triangle"

import torch


def causal_mask(seq_len, device=None):
    position = torch.arange(seq_len, device=device)  # (T,)
    mask = position[None, :] <= position[:, None]  # (T, T)
    return mask[None, None]  # (1, 1, T, T)


def masked_softmax(scores, mask):
    scores = scores.masked_fill(~mask, float("-inf"))  # (..., L, S)
    return torch.softmax(scores, dim=-1)  # (..., L, S)
