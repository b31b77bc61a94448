# verdict: fail
# mistake: transposed
# fails: mask-is-lower-triangle
"""Takes the upper triangle: each token sees the future and itself."""

import torch


def causal_mask(seq_len, device=None):
    return torch.triu(torch.ones(seq_len, seq_len, dtype=torch.bool, device=device))


def masked_softmax(scores, mask):
    return torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=-1)
