# verdict: fail
# mistake: scaled
# fails: matches-formula
"""Splits 1/√E over query and key, before the feature map."""

import torch.nn.functional as F


def linear_attention(query, key, value, eps=1e-6):
    scale = query.shape[-1] ** -0.25
    q, k = F.elu(query * scale) + 1, F.elu(key * scale) + 1
    return q @ (k.mT @ value) / (q @ k.sum(dim=-2, keepdim=True).mT + eps)
