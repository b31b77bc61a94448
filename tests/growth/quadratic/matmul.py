"""QKᵀ first."""

import torch.nn.functional as F


def linear_attention(query, key, value, eps=1e-6):
    weights = (F.elu(query) + 1) @ (F.elu(key) + 1).mT
    return weights @ value / (weights.sum(-1, keepdim=True) + eps)
