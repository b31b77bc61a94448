# verdict: fail
# mistake: fill-too-small
# fails: masked-weights-are-zero
"""Pushes hidden scores down by filling in -100 with torch.where."""

import torch


def causal_mask(seq_len, device=None):
    return torch.ones(seq_len, seq_len, dtype=torch.bool, device=device).tril(0)


def masked_softmax(scores, mask):
    pushed = torch.where(mask, scores, scores.new_full((), -100.0))
    return torch.nn.functional.softmax(pushed, dim=scores.dim() - 1)
