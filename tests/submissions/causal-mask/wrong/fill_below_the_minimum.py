# verdict: fail
# mistake: fill-too-small
# fails: masked-weights-are-zero
"""Fills with the smallest score less 100: the masked weights are tiny and not zero."""

import torch


def causal_mask(seq_len, device=None):
    return torch.tril(torch.ones(seq_len, seq_len, dtype=torch.bool, device=device))


def masked_softmax(scores, mask):
    fill = scores.detach().amin() - 100.0
    return torch.softmax(torch.where(mask, scores, fill), dim=-1)
