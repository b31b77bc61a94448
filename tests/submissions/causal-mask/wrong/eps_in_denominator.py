# verdict: fail
# mistake: eps-in-denominator
# fails: weights-sum-to-one
"""Adds 1e-5 to the denominator against a division by zero that cannot happen."""

import torch


def causal_mask(seq_len, device=None):
    return torch.tril(torch.ones(seq_len, seq_len, dtype=torch.bool, device=device))


def masked_softmax(scores, mask):
    scores = scores.masked_fill(~mask, float("-inf"))
    exps = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
    return exps / (exps.sum(dim=-1, keepdim=True) + 1e-5)
