# verdict: fail
# mistake: unlisted
# fails: weights-match-formula
"""Builds the bias as (1 - mask) * -inf, which is NaN wherever a key is visible."""

import torch


def causal_mask(seq_len, device=None):
    return torch.tril(torch.ones(seq_len, seq_len, dtype=torch.bool, device=device))


def masked_softmax(scores, mask):
    bias = (1 - mask.to(scores.dtype)) * float("-inf")
    return torch.softmax(scores + bias, dim=-1)
