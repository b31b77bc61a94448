# verdict: fail
# mistake: unlisted
# fails: any-batch-dimensions
"""Takes (B, H, L, S) for granted."""

import torch


def causal_mask(seq_len, device=None):
    return torch.tril(torch.ones(seq_len, seq_len, dtype=torch.bool, device=device))


def masked_softmax(scores, mask):
    B, H, L, S = scores.shape
    mask = mask.expand(B, H, L, S)
    return torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=-1)
