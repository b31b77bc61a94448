"""A mask of ones, made only to learn that every key is visible."""

import torch
import torch.nn.functional as F


def linear_attention(query, key, value, eps=1e-6):
    visible = torch.ones(query.shape[-2], key.shape[-2], dtype=torch.bool).any(0).unsqueeze(-1)
    q, k = F.elu(query) + 1, (F.elu(key) + 1) * visible
    return q @ (k.mT @ value) / (q @ k.sum(-2).unsqueeze(-1) + eps)
