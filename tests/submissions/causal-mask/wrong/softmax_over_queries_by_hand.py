# verdict: fail
# mistake: softmax-over-queries
# fails: weights-sum-to-one
"""Sums along the second to last axis, the rows of the printed matrix."""

import torch


def causal_mask(seq_len, device=None):
    return torch.tril(torch.ones(seq_len, seq_len, device=device)) == 1


def masked_softmax(scores, mask):
    visible = scores.masked_fill(~mask, -1e9)
    exps = (visible - visible.amax(dim=-2, keepdim=True)).exp()
    return exps / exps.sum(dim=-2, keepdim=True)
