# verdict: pass
"""q_linear, k_linear, v_linear, out_linear; the attention itself is a submodule with its own dropout."""

import math

import torch
from torch import nn


class ScaledDotProductAttention(nn.Module):
    def __init__(self, dropout: float) -> None:
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.softmax = nn.Softmax(dim=-1)

    def forward(self, q, k, v, mask=None):
        scores = torch.matmul(q / math.sqrt(q.size(-1)), k.transpose(-1, -2))
        if mask is not None:
            scores = scores.masked_fill(mask.logical_not(), torch.finfo(scores.dtype).min)
        return torch.matmul(self.dropout(self.softmax(scores)), v)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        if d_model % num_heads:
            raise ValueError("d_model must be a multiple of num_heads")
        self.h = num_heads
        self.q_linear = nn.Linear(d_model, d_model)
        self.k_linear = nn.Linear(d_model, d_model)
        self.v_linear = nn.Linear(d_model, d_model)
        self.out_linear = nn.Linear(d_model, d_model)
        self.attention = ScaledDotProductAttention(dropout)

    def forward(self, q, k, v, mask=None):
        q, k, v = (
            linear(x).view(x.size(0), x.size(1), self.h, -1).transpose(1, 2)
            for linear, x in zip((self.q_linear, self.k_linear, self.v_linear), (q, k, v), strict=True)
        )
        context = self.attention(q, k, v, mask)
        return self.out_linear(context.transpose(1, 2).reshape(context.size(0), -1, self.h * context.size(-1)))
