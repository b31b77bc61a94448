# verdict: fail
# mistake: renormalised-after-softmax
# fails: masked-score-has-no-influence
"""Softmax over everything, then mask and divide by what is left: nothing is left when the padding is large."""

import torch


def causal_mask(seq_len, device=None):
    return torch.tril(torch.ones(seq_len, seq_len, dtype=torch.bool, device=device))


def masked_softmax(scores, mask):
    weights = torch.softmax(scores, dim=-1) * mask
    return weights / weights.sum(dim=-1, keepdim=True).clamp(min=1e-12)
