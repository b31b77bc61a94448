# verdict: fail
# mistake: detached-scores
# fails: score-gradient
"""Works on scores.data so that the fill is not tracked, and nothing after it is tracked either."""

import torch


def causal_mask(seq_len, device=None):
    return torch.tril(torch.ones(seq_len, seq_len, dtype=torch.bool, device=device))


def masked_softmax(scores, mask):
    filled = scores.data.clone()
    filled[~mask.expand_as(filled)] = float("-inf")
    return torch.softmax(filled, dim=-1)
