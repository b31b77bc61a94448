# verdict: fail
# mistake: unlisted
# fails: weights-match-formula
"""Multiplies by the mask and then hides every score that is zero, those that were zero before too."""

import torch


def causal_mask(seq_len, device=None):
    return torch.tril(torch.ones(seq_len, seq_len, dtype=torch.bool, device=device))


def masked_softmax(scores, mask):
    visible = scores * mask
    return torch.softmax(visible.masked_fill(visible == 0, -1e9), dim=-1)
