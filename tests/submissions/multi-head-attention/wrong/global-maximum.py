# verdict: fail
# mistake: global-maximum
# fails: large-scores-stay-finite
"""Takes off one maximum for all heads and queries: rows far below it become 0/0."""

import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("d_model must be divisible by num_heads")
        self.num_heads, self.head_dim = num_heads, d_model // num_heads
        self.q_linear = nn.Linear(d_model, d_model)
        self.k_linear = nn.Linear(d_model, d_model)
        self.v_linear = nn.Linear(d_model, d_model)
        self.out_linear = nn.Linear(d_model, d_model)

    def split(self, x):
        B, T, _ = x.shape
        return x.view(B, T, self.num_heads, self.head_dim).transpose(1, 2)  # (B, H, T, d)

    def forward(self, query, key, value, attn_mask=None):
        q = self.split(self.q_linear(query))
        k = self.split(self.k_linear(key))
        v = self.split(self.v_linear(value))
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.head_dim)  # (B, H, L, S)
        if attn_mask is not None:
            scores = scores.masked_fill(~attn_mask, float("-inf"))
        e = torch.exp(scores - scores.max())
        weights = e / e.sum(dim=-1, keepdim=True)
        out = (weights @ v).transpose(1, 2).flatten(2)
        return self.out_linear(out)
