# verdict: fail
# mistake: elu-without-one
# fails: matches-formula
"""Forgets the + 1, so that features can be negative."""

import torch.nn.functional as F


def linear_attention(query, key, value, eps=1e-6):
    q, k = F.elu(query), F.elu(key)
    return q @ (k.mT @ value) / (q @ k.sum(dim=-2, keepdim=True).mT + eps)
