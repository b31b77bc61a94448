# verdict: fail
# mistake: mutates-input
# fails: input-unmodified
"""Fills in place inside no_grad: values and gradients come out right, the caller's scores are spoilt."""

import torch


def causal_mask(seq_len, device=None):
    return torch.tril(torch.ones(seq_len, seq_len, dtype=torch.bool, device=device))


def masked_softmax(scores, mask):
    with torch.no_grad():
        scores[~mask.expand_as(scores)] = -1e9
    return torch.softmax(scores, dim=-1)
