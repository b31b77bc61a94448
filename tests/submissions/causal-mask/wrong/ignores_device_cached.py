# verdict: fail
# mistake: ignores-device
# fails: mask-follows-device
"""Caches the triangle by its size alone, made on whatever device is the default."""

from functools import lru_cache

import torch


@lru_cache
def _lower_triangle(seq_len):
    position = torch.arange(seq_len)
    return position[:, None] >= position


def causal_mask(seq_len, device=None):
    return _lower_triangle(seq_len)


def masked_softmax(scores, mask):
    return torch.softmax(scores.masked_fill(~mask.to(scores.device), float("-inf")), dim=-1)
