# verdict: fail
# mistake: mutates-input
# fails: input-unmodified
"""masked_fill_ with the underscore writes minus infinity into the caller's scores."""

import torch


def causal_mask(seq_len, device=None):
    return torch.tril(torch.ones(seq_len, seq_len, dtype=torch.bool, device=device))


def masked_softmax(scores, mask):
    return torch.softmax(scores.masked_fill_(~mask, float("-inf")), dim=-1)
