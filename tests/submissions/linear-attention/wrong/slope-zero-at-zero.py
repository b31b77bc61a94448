# verdict: fail
# mistake: unlisted
# fails: slope-at-zero
"""relu(x) + exp(-relu(-x)) has the right value everywhere, but autograd gives it the slope 0 at exactly 0."""

import torch


def phi(x):
    return torch.relu(x) + torch.exp(-torch.relu(-x))


def linear_attention(query, key, value, eps=1e-6):
    q, k = phi(query), phi(key)
    return q @ (k.mT @ value) / (q @ k.sum(dim=-2, keepdim=True).mT + eps)
