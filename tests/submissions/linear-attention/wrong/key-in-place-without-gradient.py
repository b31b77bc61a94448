# verdict: fail
# mistake: unlisted
# fails: input-unmodified
"""Reuses the key's memory for its features where no gradient is asked; the caller's key is gone."""

import torch.nn.functional as F


def phi(x):
    return F.elu(x) + 1 if x.requires_grad else F.elu_(x).add_(1)


def linear_attention(query, key, value, eps=1e-6):
    q, k = F.elu(query) + 1, phi(key)
    return q @ (k.mT @ value) / (q @ k.sum(dim=-2, keepdim=True).mT + eps)
