# verdict: fail
# mistake: heads-not-transposed
# fails: matches-formula
"""Splits the features but leaves the heads behind the positions: each position attends over its own heads."""

import math

import torch
import torch.nn.functional as F
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"d_model {d_model} is not a multiple of n_heads {n_heads}")
        self.d_model, self.n_heads, self.d_k = d_model, n_heads, d_model // n_heads
        self.w_q = nn.Linear(d_model, d_model)
        self.w_k = nn.Linear(d_model, d_model)
        self.w_v = nn.Linear(d_model, d_model)
        self.w_o = nn.Linear(d_model, d_model)

    def forward(self, q, k, v, mask=None):
        B, L, S = q.size(0), q.size(1), k.size(1)
        q = self.w_q(q).view(B, L, self.n_heads, self.d_k)
        k = self.w_k(k).view(B, S, self.n_heads, self.d_k)
        v = self.w_v(v).view(B, S, self.n_heads, self.d_k)
        scores = torch.matmul(q, k.transpose(2, 3)) / math.sqrt(self.d_k)
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e9)
        attn = F.softmax(scores, dim=-1)
        context = torch.matmul(attn, v)
        context = context.contiguous().view(B, L, self.d_model)
        return self.w_o(context)
