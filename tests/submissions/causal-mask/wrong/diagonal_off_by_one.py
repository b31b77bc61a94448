# verdict: fail
# mistake: diagonal-off-by-one
# fails: mask-is-lower-triangle
"""diagonal=1 carried over from triu to tril: each token sees the next one."""

import torch


def causal_mask(seq_len, device=None):
    return torch.tril(torch.ones(seq_len, seq_len, dtype=torch.bool, device=device), diagonal=1)


def masked_softmax(scores, mask):
    return torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=-1)
