# verdict: pass
"""functools.partial over a configurable class; the extra arguments are keyword-only."""

import functools

import torch
from torch import nn


class ConfigurableAttention(nn.Module):
    def __init__(self, d_model, num_heads, *, dropout=0.0, bias=True):
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"{num_heads} heads do not divide {d_model}")
        self.num_heads = num_heads
        self.W_q = nn.Linear(d_model, d_model, bias=bias)
        self.W_k = nn.Linear(d_model, d_model, bias=bias)
        self.W_v = nn.Linear(d_model, d_model, bias=bias)
        self.out_proj = nn.Linear(d_model, d_model, bias=bias)
        self.dropout = nn.Dropout(dropout)

    def forward(self, q, k, v, attn_mask=None):
        q, k, v = self.W_q(q), self.W_k(k), self.W_v(v)
        q, k, v = (x.reshape(*x.shape[:2], self.num_heads, -1) for x in (q, k, v))
        scores = torch.einsum("blhd,bshd->bhls", q, k) * q.shape[-1] ** -0.5
        if attn_mask is not None:
            scores = torch.where(attn_mask, scores, torch.full_like(scores, -torch.inf))
        weights = self.dropout(torch.softmax(scores, dim=-1))
        return self.dropout(self.out_proj(torch.einsum("bhls,bshd->blhd", weights, v).flatten(2)))


MultiHeadAttention = functools.partial(ConfigurableAttention, dropout=0.1)
