# verdict: fail
# mistake: unlisted
# fails: large-scores-stay-finite
"""Clamps the scores to +-50 instead of subtracting the maximum: finite, but large scores become ties."""

import torch


def causal_mask(seq_len, device=None):
    return torch.tril(torch.ones(seq_len, seq_len, dtype=torch.bool, device=device))


def masked_softmax(scores, mask):
    exps = torch.exp(scores.clamp(-50, 50)) * mask
    return exps / exps.sum(dim=-1, keepdim=True)
