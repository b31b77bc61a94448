# verdict: fail
# mistake: mask-after-softmax
# fails: weights-sum-to-one
"""Zeroes the weights after the softmax and leaves the rows summing to less than one."""

import torch


def causal_mask(seq_len, device=None):
    return torch.tril(torch.ones(seq_len, seq_len, dtype=torch.bool, device=device))


def masked_softmax(scores, mask):
    return torch.softmax(scores, dim=-1).masked_fill(~mask, 0.0)
