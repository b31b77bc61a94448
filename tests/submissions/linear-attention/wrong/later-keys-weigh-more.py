# verdict: fail
# mistake: unlisted
# fails: key-order-is-irrelevant
"""Adds a decay over positions, borrowed from retention: the order of the keys matters."""

import torch
import torch.nn.functional as F


def linear_attention(query, key, value, eps=1e-6, gamma=0.9):
    S = key.shape[-2]
    decay = gamma ** torch.arange(S - 1, -1, -1, device=key.device, dtype=key.dtype)
    q, k = F.elu(query) + 1, (F.elu(key) + 1) * decay.unsqueeze(-1)
    return q @ (k.mT @ value) / (q @ k.sum(dim=-2, keepdim=True).mT + eps)
