# verdict: pass
"""The popular fill of -1e9 with mask == 0; the mask comes from an integer tril."""

import torch


def causal_mask(T, device=None):
    return torch.tril(torch.ones(T, T, dtype=torch.int64, device=device)) == 1


def masked_softmax(scores, mask):
    return scores.masked_fill(mask == 0, -1e9).softmax(dim=-1)
