# verdict: fail
# mistake: unlisted
# fails: masked-score-has-no-influence
"""Masks after exp: the values are right, but exp of large padding is inf and its zeroed gradient becomes NaN."""

import torch


def causal_mask(seq_len, device=None):
    return torch.tril(torch.ones(seq_len, seq_len, dtype=torch.bool, device=device))


def masked_softmax(scores, mask):
    peak = scores.masked_fill(~mask, float("-inf")).amax(dim=-1, keepdim=True)
    exps = torch.where(mask, torch.exp(scores - peak), 0.0)
    return exps / exps.sum(dim=-1, keepdim=True)
