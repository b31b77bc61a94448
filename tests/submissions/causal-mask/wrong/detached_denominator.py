# verdict: fail
# mistake: unlisted
# fails: score-gradient
"""Treats the denominator as a constant: right values, half a gradient."""

import torch


def causal_mask(seq_len, device=None):
    return torch.tril(torch.ones(seq_len, seq_len, dtype=torch.bool, device=device))


def masked_softmax(scores, mask):
    filled = scores.masked_fill(~mask, float("-inf"))
    exps = torch.exp(filled - filled.amax(dim=-1, keepdim=True).detach())
    with torch.no_grad():
        total = exps.sum(dim=-1, keepdim=True)
    return exps / total
