# verdict: fail
# mistake: fill-too-small
# fails: masked-weights-are-zero
"""Fills with -20: small enough to look right in a printout, not small enough to be zero."""

import torch


def causal_mask(seq_len, device=None):
    return torch.tril(torch.ones(seq_len, seq_len, dtype=torch.bool, device=device))


def masked_softmax(scores, mask):
    return torch.softmax(scores.masked_fill(~mask, -20.0), dim=-1)
