# verdict: fail
# mistake: unlisted
# fails: keeps-dtype
# dtypes: float64
"""Accumulates in float32 'for stability' and returns float32 whatever came in."""

import torch.nn.functional as F


def linear_attention(query, key, value, eps=1e-6):
    q, k = F.elu(query.float()) + 1, F.elu(key.float()) + 1
    return q @ (k.mT @ value.float()) / (q @ k.sum(dim=-2, keepdim=True).mT + eps)
