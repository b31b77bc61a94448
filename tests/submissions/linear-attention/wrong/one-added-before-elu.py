# verdict: fail
# mistake: elu-without-one
# fails: matches-formula
"""Puts the + 1 inside: elu(x + 1) in place of elu(x) + 1."""

import torch.nn.functional as F


def linear_attention(query, key, value, eps=1e-6):
    q, k = F.elu(query + 1), F.elu(key + 1)
    return q @ (k.mT @ value) / (q @ k.sum(dim=-2, keepdim=True).mT + eps)
