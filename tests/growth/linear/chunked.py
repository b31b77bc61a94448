"""Chunks of 16 keys, then chunks of 16 queries."""

import torch
import torch.nn.functional as F


def linear_attention(query, key, value, eps=1e-6):
    state, total = 0, 0
    for k, v in zip(key.split(16, -2), value.split(16, -2), strict=True):
        k = F.elu(k) + 1
        state, total = state + k.mT @ v, total + k.sum(-2).unsqueeze(-1)
    features = [F.elu(q) + 1 for q in query.split(16, -2)]
    return torch.cat([q @ state / (q @ total + eps) for q in features], -2)
