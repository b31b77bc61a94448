# verdict: fail
# mistake: unlisted
# fails: slope-at-zero
"""torch.minimum shares the gradient between equal arguments: half of the slope is lost at exactly 0."""

import torch


def phi(x):
    return torch.relu(x) + torch.exp(torch.minimum(x, torch.zeros_like(x)))


def linear_attention(query, key, value, eps=1e-6):
    q, k = phi(query), phi(key)
    return q @ (k.mT @ value) / (q @ k.sum(dim=-2, keepdim=True).mT + eps)
