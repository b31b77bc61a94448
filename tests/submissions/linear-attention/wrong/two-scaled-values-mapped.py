# verdict: fail
# mistake: two: scaled + feature-map-on-values
# fails: matches-formula
"""Scales the query by habit and maps all three tensors."""

import torch


def phi(x):
    return torch.where(x > 0, x + 1, x.clamp(max=0).exp())


def linear_attention(query, key, value, eps=1e-6):
    q, k, v = phi(query * query.shape[-1] ** -0.5), phi(key), phi(value)
    return q @ (k.mT @ v) / (q @ k.sum(-2)[..., None] + eps)
