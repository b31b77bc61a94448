# verdict: unusable
# mistake: unlisted
"""Defines a module class LinearAttention and no linear_attention."""

import torch.nn.functional as F
from torch import nn


class LinearAttention(nn.Module):
    def forward(self, query, key, value, eps=1e-6):
        q, k = F.elu(query) + 1, F.elu(key) + 1
        return q @ (k.mT @ value) / (q @ k.sum(dim=-2, keepdim=True).mT + eps)
