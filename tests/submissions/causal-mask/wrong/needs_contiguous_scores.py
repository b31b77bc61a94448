# verdict: fail
# mistake: unlisted
# fails: non-contiguous-input
"""Flattens the rows with view, which transposed scores do not allow."""

import torch


def causal_mask(seq_len, device=None):
    return torch.tril(torch.ones(seq_len, seq_len, dtype=torch.bool, device=device))


def masked_softmax(scores, mask):
    num_keys = scores.shape[-1]
    rows = scores.view(-1, num_keys).masked_fill(~mask.expand_as(scores).reshape(-1, num_keys), float("-inf"))
    return torch.softmax(rows, dim=-1).view(scores.shape)
