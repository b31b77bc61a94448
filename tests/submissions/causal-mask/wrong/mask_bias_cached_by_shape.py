# verdict: fail
# mistake: unlisted
# fails: repeatable
"""Keeps the additive bias for each mask shape: a second mask of that shape gets the first one's bias."""

import torch

_bias = {}


def causal_mask(seq_len, device=None):
    return torch.tril(torch.ones(seq_len, seq_len, dtype=torch.bool, device=device))


def masked_softmax(scores, mask):
    key = (mask.shape, scores.dtype, scores.device)
    if key not in _bias:
        bias = torch.zeros(mask.shape, dtype=scores.dtype, device=scores.device)
        _bias[key] = bias.masked_fill(~mask, float("-inf"))
    return torch.softmax(scores + _bias[key], dim=-1)
