# verdict: fail
# mistake: fill-too-small
# fails: masked-score-has-no-influence
"""Adds (1 - mask) * -10000 as BERT did: a masked score of 10000 lifts itself back over the bar."""

import torch


def causal_mask(seq_len, device=None):
    return torch.tril(torch.ones(seq_len, seq_len, dtype=torch.bool, device=device))


def masked_softmax(scores, mask):
    bias = (1.0 - mask.to(scores.dtype)) * -10000.0
    return torch.softmax(scores + bias, dim=-1)
