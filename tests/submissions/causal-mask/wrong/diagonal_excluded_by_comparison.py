# verdict: fail
# mistake: diagonal-excluded
# fails: mask-is-lower-triangle
"""Compares positions with < instead of <=."""

import torch


def causal_mask(seq_len, device=None):
    position = torch.arange(seq_len, device=device)
    return position[None, :] < position[:, None]


def masked_softmax(scores, mask):
    return torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=-1)
