# verdict: fail
# mistake: unlisted
# fails: mask-is-lower-triangle
"""Counts the positions in int8 to save memory: beyond 127 they are negative."""

import torch


def causal_mask(seq_len, device=None):
    position = torch.arange(seq_len, device=device).to(torch.int8)
    return position[None, :] <= position[:, None]


def masked_softmax(scores, mask):
    return torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=-1)
