# verdict: fail
# mistake: softmax-over-queries
# fails: weights-sum-to-one
"""Writes dim=1, which was the last dimension of the two-dimensional scratch example."""

import torch


def causal_mask(seq_len, device=None):
    return torch.tril(torch.ones(seq_len, seq_len, dtype=torch.bool, device=device))


def masked_softmax(scores, mask):
    exps = scores.masked_fill(~mask, -1e9).softmax(1)
    return torch.where(mask, exps, 0.0)
