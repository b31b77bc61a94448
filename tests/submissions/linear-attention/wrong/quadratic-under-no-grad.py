# verdict: fail
# mistake: unlisted
# fails: linear-work-and-memory
"""Multiplies queries with keys where gradients are switched off."""

import torch
import torch.nn.functional as F


def linear_attention(query, key, value, eps=1e-6):
    q, k = F.elu(query) + 1, F.elu(key) + 1
    if not torch.is_grad_enabled():
        w = q @ k.mT
        return (w @ value) / (w.sum(-1, keepdim=True) + eps)
    return (q @ (k.mT @ value)) / (q @ k.sum(-2, keepdim=True).mT + eps)
