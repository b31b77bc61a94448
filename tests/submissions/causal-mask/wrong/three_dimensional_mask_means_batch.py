# verdict: fail
# mistake: unlisted
# fails: mask-broadcasts
"""Gives every three-dimensional mask a head dimension, against PyTorch's broadcasting rules."""

import torch


def causal_mask(seq_len, device=None):
    return torch.tril(torch.ones(seq_len, seq_len, dtype=torch.bool, device=device))


def masked_softmax(scores, mask):
    if mask.dim() == 3:
        mask = mask.unsqueeze(1)  # (B, L, S) -> (B, 1, L, S)
    return torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=-1)
