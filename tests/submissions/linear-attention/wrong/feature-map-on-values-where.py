# verdict: fail
# mistake: feature-map-on-values
# fails: matches-formula
"""Writes the map with torch.where and applies it with map() to all three tensors."""

import torch


def phi(x):
    return torch.where(x > 0, x + 1, torch.exp(x.clamp(max=0)))


def linear_attention(query, key, value, eps=1e-6):
    q, k, v = map(phi, (query, key, value))
    context = torch.matmul(k.mT, v)
    norm = torch.matmul(q, k.sum(-2, keepdim=True).mT) + eps
    return torch.matmul(q, context) / norm
