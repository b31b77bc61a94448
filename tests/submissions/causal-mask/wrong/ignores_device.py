# verdict: fail
# mistake: ignores-device
# fails: mask-follows-device
"""Accepts the device and never hands it on."""

import torch


def causal_mask(seq_len, device=None):
    return torch.tril(torch.ones(seq_len, seq_len, dtype=torch.bool))


def masked_softmax(scores, mask):
    return torch.softmax(scores.masked_fill(~mask.to(scores.device), float("-inf")), dim=-1)
