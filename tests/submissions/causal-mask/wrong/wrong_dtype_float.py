# verdict: fail
# mistake: wrong-dtype
# fails: mask-is-bool
"""The triangle stays the float tensor of ones that it was made from."""

import torch


def causal_mask(seq_len, device=None):
    return torch.tril(torch.ones(seq_len, seq_len, device=device))


def masked_softmax(scores, mask):
    return torch.softmax(scores.masked_fill(mask == 0, float("-inf")), dim=-1)
