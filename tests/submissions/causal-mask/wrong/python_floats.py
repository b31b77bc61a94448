# verdict: fail
# mistake: detached-scores
# fails: score-gradient
"""Computes the weights with math.exp on Python floats and packs them into a new tensor: right values, no graph."""

import math

import torch


def causal_mask(seq_len, device=None):
    return torch.tril(torch.ones(seq_len, seq_len, dtype=torch.bool, device=device))


def _row(scores, visible):
    peak = max(s for s, v in zip(scores, visible, strict=True) if v)
    exps = [math.exp(s - peak) if v else 0.0 for s, v in zip(scores, visible, strict=True)]
    total = sum(exps)
    return [e / total for e in exps]


def masked_softmax(scores, mask):
    width = scores.shape[-1]
    rows, visible = scores.reshape(-1, width).tolist(), mask.expand(scores.shape).reshape(-1, width).tolist()
    weights = [_row(s, v) for s, v in zip(rows, visible, strict=True)]
    return torch.tensor(weights, dtype=scores.dtype, device=scores.device).view(scores.shape)
