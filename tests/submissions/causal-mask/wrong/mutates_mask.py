# verdict: fail
# mistake: mutates-input
# fails: input-unmodified
"""Inverts the caller's mask in place before the fill."""

import torch


def causal_mask(seq_len, device=None):
    return torch.tril(torch.ones(seq_len, seq_len, dtype=torch.bool, device=device))


def masked_softmax(scores, mask):
    return torch.softmax(scores.masked_fill(mask.logical_not_(), float("-inf")), dim=-1)
