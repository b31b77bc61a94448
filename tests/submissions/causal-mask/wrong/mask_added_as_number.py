# verdict: fail
# mistake: mask-added-as-number
# fails: masked-weights-are-zero
"""Adds the bool mask to the scores as if it were a bias: visible keys get + 1, masked keys stay."""

import torch


def causal_mask(seq_len, device=None):
    return torch.tril(torch.ones(seq_len, seq_len, dtype=torch.bool, device=device))


def masked_softmax(scores, mask):
    return torch.softmax(scores + mask, dim=-1)
