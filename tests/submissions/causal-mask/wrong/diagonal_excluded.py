# verdict: fail
# mistake: diagonal-excluded
# fails: mask-is-lower-triangle
"""A strict triangle: no token may look at itself, and the first sees nothing."""

import torch


def causal_mask(seq_len, device=None):
    return torch.tril(torch.ones(seq_len, seq_len, dtype=torch.bool, device=device), diagonal=-1)


def masked_softmax(scores, mask):
    return torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=-1)
