# verdict: fail
# mistake: mask-inverted
# fails: mask-is-lower-triangle, weights-match-formula
"""Takes True for 'blocked' throughout, as the mask of nn.MultiheadAttention does."""

import torch


def causal_mask(seq_len, device=None):
    return torch.triu(torch.ones(seq_len, seq_len, dtype=torch.bool, device=device), diagonal=1)


def masked_softmax(scores, mask):
    return torch.softmax(scores.masked_fill(mask, float("-inf")), dim=-1)
