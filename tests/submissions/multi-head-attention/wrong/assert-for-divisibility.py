# verdict: fail
# mistake: assert-instead-of-raise
# fails: indivisible-raises-value-error
"""Checks with assert, which raises AssertionError and vanishes under -O."""

import math

import torch
import torch.nn.functional as F
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        assert d_model % n_heads == 0, "d_model must be divisible by n_heads"
        self.d_model, self.n_heads, self.d_k = d_model, n_heads, d_model // n_heads
        self.q_linear = nn.Linear(d_model, d_model)
        self.k_linear = nn.Linear(d_model, d_model)
        self.v_linear = nn.Linear(d_model, d_model)
        self.out_linear = nn.Linear(d_model, d_model)

    def forward(self, q, k, v, mask=None):
        B, L, S = q.size(0), q.size(1), k.size(1)
        q = self.q_linear(q).view(B, L, self.n_heads, self.d_k).transpose(1, 2)
        k = self.k_linear(k).view(B, S, self.n_heads, self.d_k).transpose(1, 2)
        v = self.v_linear(v).view(B, S, self.n_heads, self.d_k).transpose(1, 2)
        scores = torch.matmul(q, k.transpose(2, 3)) / math.sqrt(self.d_k)
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e9)
        attn = F.softmax(scores, dim=-1)
        context = torch.matmul(attn, v)
        context = context.transpose(1, 2).contiguous().view(B, L, self.d_model)
        return self.out_linear(context)
