# verdict: fail
# mistake: unlisted
# fails: eps-keeps-its-place
"""Adds eps to the features and not to the normaliser."""

import torch.nn.functional as F


def linear_attention(query, key, value, eps=1e-6):
    q, k = F.elu(query) + 1 + eps, F.elu(key) + 1 + eps
    return q @ (k.mT @ value) / (q @ k.sum(dim=-2, keepdim=True).mT)
