# verdict: fail
# mistake: softmax-over-queries
# fails: weights-sum-to-one
"""Normalises the columns: dim=-2 instead of dim=-1."""

import torch


def causal_mask(seq_len, device=None):
    return torch.tril(torch.ones(seq_len, seq_len, dtype=torch.bool, device=device))


def masked_softmax(scores, mask):
    return torch.softmax(scores.masked_fill(~mask, -1e9), dim=-2) * mask
