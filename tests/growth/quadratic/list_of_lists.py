"""A mask made of Python lists, which no operator makes."""

import torch
import torch.nn.functional as F


def linear_attention(query, key, value, eps=1e-6):
    mask = torch.tensor([[1.0] * key.shape[-2]] * query.shape[-2], dtype=query.dtype)
    q, k = F.elu(query) + 1, (F.elu(key) + 1) * mask[0].unsqueeze(-1)
    return q @ (k.mT @ value) / (q @ k.sum(-2).unsqueeze(-1) + eps)
