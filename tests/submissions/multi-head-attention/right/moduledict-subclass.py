# verdict: pass
"""Registers the projections by setattr in a base class."""

import math

import torch
from torch import nn


class Base(nn.Module):
    def __init__(self, d, names):
        super().__init__()
        for n in names:
            self.add_module(n, nn.Linear(d, d))


class MultiHeadAttention(Base):
    def __init__(self, d_model, num_heads):
        if num_heads <= 0 or d_model % num_heads != 0:
            raise ValueError(f"{d_model} % {num_heads}")
        super().__init__(d_model, ("query", "key", "value", "output"))
        self.heads = num_heads
        self.dropout = nn.Dropout(0.3)

    def _heads(self, x):
        B, T, D = x.shape
        return x.reshape(B, T, self.heads, D // self.heads).permute(0, 2, 1, 3)

    def forward(self, query, key, value, attn_mask=None):
        q, k, v = self._heads(self.query(query)), self._heads(self.key(key)), self._heads(self.value(value))
        bias = 0 if attn_mask is None else torch.zeros_like(attn_mask, dtype=q.dtype).masked_fill(~attn_mask, -math.inf)
        w = self.dropout(torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]) + bias, -1))
        return self.output((w @ v).permute(0, 2, 1, 3).flatten(2))
