# verdict: fail
# mistake: unlisted
# fails: long-inputs
"""Counts the positions in uint8: beyond 255 they start again at zero."""

import torch


def causal_mask(seq_len, device=None):
    p = torch.arange(seq_len, device=device).to(torch.uint8)
    return p[None, :] <= p[:, None]


def masked_softmax(scores, mask):
    return scores.masked_fill(~mask, float("-inf")).softmax(-1)
