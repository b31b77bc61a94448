# verdict: fail
# mistake: renormalised-after-softmax
# fails: masked-score-has-no-influence
"""Subtracts the maximum of all scores, masked ones too: large padding underflows the visible ones to 0 / 0."""

import torch


def causal_mask(seq_len, device=None):
    return torch.tril(torch.ones(seq_len, seq_len, dtype=torch.bool, device=device))


def masked_softmax(scores, mask):
    exps = torch.exp(scores - scores.amax(dim=-1, keepdim=True)) * mask
    return exps / exps.sum(dim=-1, keepdim=True)
