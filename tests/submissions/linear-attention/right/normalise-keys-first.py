# verdict: pass
"""Divides both sums by S, and eps too."""

import torch.nn.functional as F


def linear_attention(query, key, value, eps=1e-6):
    S = key.shape[-2]
    q, k = F.elu(query) + 1, F.elu(key) + 1
    return (q @ (k.mT @ value / S)) / (q @ k.mean(-2).unsqueeze(-1) + eps / S)
