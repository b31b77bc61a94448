# verdict: fail
# mistake: mask-inverted
# fails: weights-match-formula
"""The mask is right, but torch.where has its branches the wrong way round."""

import torch


def causal_mask(seq_len, device=None):
    return torch.tril(torch.ones(seq_len, seq_len, dtype=torch.bool, device=device))


def masked_softmax(scores, mask):
    return torch.softmax(torch.where(mask, torch.full_like(scores, -1e9), scores), dim=-1)
