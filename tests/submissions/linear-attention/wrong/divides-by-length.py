# verdict: fail
# mistake: no-normaliser
# fails: matches-formula
"""Divides by the number of keys in place of the normaliser."""

import torch
import torch.nn.functional as F


def linear_attention(query, key, value, eps=1e-6):
    q, k = F.elu(query) + 1, F.elu(key) + 1
    return torch.matmul(q, torch.matmul(k.mT, value)) / (key.shape[-2] + eps)
