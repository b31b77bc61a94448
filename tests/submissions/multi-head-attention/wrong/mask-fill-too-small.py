# verdict: fail
# mistake: mask-fill-too-small
# fails: masked-key-has-no-influence
"""Fills with -20; padding with large values leaks through exp(-20)."""

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
        self.wq = nn.Linear(d_model, d_model)
        self.wk = nn.Linear(d_model, d_model)
        self.wv = nn.Linear(d_model, d_model)
        self.wo = nn.Linear(d_model, d_model)

    def forward(self, q, k, v, mask=None):
        B, L, S = q.size(0), q.size(1), k.size(1)
        q = self.wq(q).view(B, L, self.n_heads, self.d_k).transpose(1, 2)
        k = self.wk(k).view(B, S, self.n_heads, self.d_k).transpose(1, 2)
        v = self.wv(v).view(B, S, self.n_heads, self.d_k).transpose(1, 2)
        scores = torch.matmul(q, k.transpose(2, 3)) / math.sqrt(self.d_k)
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -20)
        attn = F.softmax(scores, dim=-1)
        context = torch.matmul(attn, v)
        context = context.transpose(1, 2).contiguous().view(B, L, self.d_model)
        return self.wo(context)
