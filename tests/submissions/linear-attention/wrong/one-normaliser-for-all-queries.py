# verdict: fail
# mistake: unlisted
# fails: matches-formula
"""Sums the normaliser over the queries as well and divides every row by the same number."""

import torch.nn.functional as F


def linear_attention(query, key, value, eps=1e-6):
    q, k = F.elu(query) + 1, F.elu(key) + 1
    norm = (q * k.sum(dim=-2, keepdim=True)).sum(dim=(-2, -1), keepdim=True) / q.shape[-2]
    return q @ (k.mT @ value) / (norm + eps)
