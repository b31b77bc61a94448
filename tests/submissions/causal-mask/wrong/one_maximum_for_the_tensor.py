# verdict: fail
# mistake: unlisted
# fails: large-scores-stay-finite
"""Subtracts the largest score of the whole tensor: rows far below it underflow to 0 / 0."""

import torch


def causal_mask(seq_len, device=None):
    return torch.tril(torch.ones(seq_len, seq_len, dtype=torch.bool, device=device))


def masked_softmax(scores, mask):
    filled = scores.masked_fill(~mask, float("-inf"))
    exps = torch.exp(filled - filled.max())
    return exps / exps.sum(dim=-1, keepdim=True)
