# verdict: fail
# mistake: unlisted
# fails: repeatable, matches-formula
"""Positive random features as in the Performer: another estimate at every call."""

import torch


def linear_attention(query, key, value, eps=1e-6, features=64):
    w = torch.randn(query.shape[-1], features, dtype=query.dtype, device=query.device)
    q, k = (x * query.shape[-1] ** -0.25 for x in (query, key))
    q = torch.exp(q @ w - q.square().sum(-1, keepdim=True) / 2)
    k = torch.exp(k @ w - k.square().sum(-1, keepdim=True) / 2)
    return q @ (k.mT @ value) / (q @ k.sum(dim=-2, keepdim=True).mT + eps)
