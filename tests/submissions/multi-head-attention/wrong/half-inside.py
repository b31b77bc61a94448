# verdict: fail
# mistake: unlisted
# fails: matches-formula
"""Multiplies in bfloat16 to save memory and casts back."""

import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("d_model must be divisible by num_heads")
        self.num_heads, self.head_dim = num_heads, d_model // num_heads
        self.wq = nn.Linear(d_model, d_model)
        self.wk = nn.Linear(d_model, d_model)
        self.wv = nn.Linear(d_model, d_model)
        self.wo = nn.Linear(d_model, d_model)

    def split(self, x):
        B, T, _ = x.shape
        return x.view(B, T, self.num_heads, self.head_dim).transpose(1, 2)  # (B, H, T, d)

    def forward(self, query, key, value, attn_mask=None):
        q = self.split(self.wq(query))
        k = self.split(self.wk(key))
        v = self.split(self.wv(value))
        scores = (q.bfloat16() @ k.bfloat16().transpose(-2, -1)).to(q.dtype) / math.sqrt(self.head_dim)  # (B, H, L, S)
        if attn_mask is not None:
            scores = scores.masked_fill(~attn_mask, float("-inf"))
        weights = torch.softmax(scores, dim=-1)
        out = (weights @ v).transpose(1, 2).flatten(2)
        return self.wo(out)
