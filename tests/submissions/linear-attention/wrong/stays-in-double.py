# verdict: fail
# mistake: unlisted
# fails: keeps-dtype
# dtypes: float32
"""Accumulates in float64 and forgets to cast back."""

import torch.nn.functional as F


def linear_attention(query, key, value, eps=1e-6):
    q, k = F.elu(query.double()) + 1, F.elu(key.double()) + 1
    return q @ (k.mT @ value.double()) / (q @ k.sum(dim=-2, keepdim=True).mT + eps)
