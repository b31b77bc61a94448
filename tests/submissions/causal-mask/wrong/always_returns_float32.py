# verdict: fail
# mistake: unlisted
# fails: keeps-dtype
# dtypes: float64
"""Asks softmax for float32, which makes float64 scores come back as float32."""

import torch


def causal_mask(seq_len, device=None):
    return torch.tril(torch.ones(seq_len, seq_len, dtype=torch.bool, device=device))


def masked_softmax(scores, mask):
    return torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=-1, dtype=torch.float32)
