# verdict: fail
# mistake: unlisted
# fails: eps-keeps-its-place
"""Clamps the normaliser from below with eps where the formula adds eps."""

import torch.nn.functional as F


def linear_attention(query, key, value, eps=1e-6):
    q, k = F.elu(query) + 1, F.elu(key) + 1
    norm = q @ k.sum(dim=-2, keepdim=True).mT
    return q @ (k.mT @ value) / norm.clamp(min=eps)
