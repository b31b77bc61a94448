# verdict: fail
# mistake: unlisted
# fails: matches-formula
"""Builds each head as a module of its own, with small projections: no four (D, D) linears are there."""

import torch
from torch import nn


class Head(nn.Module):
    def __init__(self, d_model, head_size):
        super().__init__()
        self.query = nn.Linear(d_model, head_size)
        self.key = nn.Linear(d_model, head_size)
        self.value = nn.Linear(d_model, head_size)

    def forward(self, q, k, v, mask):
        scores = self.query(q) @ self.key(k).mT * self.key.out_features**-0.5
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        return torch.softmax(scores, dim=-1) @ self.value(v)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("d_model must be divisible by num_heads")
        self.heads = nn.ModuleList(Head(d_model, d_model // num_heads) for _ in range(num_heads))
        self.proj = nn.Linear(d_model, d_model)

    def forward(self, query, key, value, attn_mask=None):
        return self.proj(torch.cat([h(query, key, value, attn_mask) for h in self.heads], dim=-1))
