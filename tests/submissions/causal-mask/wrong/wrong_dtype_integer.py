# verdict: fail
# mistake: wrong-dtype
# fails: mask-is-bool
"""A mask of 0 and 1 in uint8, as in the days before torch.bool."""

import torch


def causal_mask(seq_len, device=None):
    return torch.ones(seq_len, seq_len, dtype=torch.uint8, device=device).tril()


def masked_softmax(scores, mask):
    return torch.softmax(scores.masked_fill(mask == 0, float("-inf")), dim=-1)
