# verdict: fail
# mistake: mask-fill-with-zero
# fails: mask-selects-keys
"""Fills masked scores with 0, so that a hidden key keeps an ordinary weight."""

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
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def forward(self, q, k, v, mask=None):
        B, L, S = q.size(0), q.size(1), k.size(1)
        q = self.q_proj(q).view(B, L, self.n_heads, self.d_k).transpose(1, 2)
        k = self.k_proj(k).view(B, S, self.n_heads, self.d_k).transpose(1, 2)
        v = self.v_proj(v).view(B, S, self.n_heads, self.d_k).transpose(1, 2)
        scores = torch.matmul(q, k.transpose(2, 3)) / math.sqrt(self.d_k)
        if mask is not None:
            scores = scores.masked_fill(mask == 0, 0)
        attn = F.softmax(scores, dim=-1)
        context = torch.matmul(attn, v)
        context = context.transpose(1, 2).contiguous().view(B, L, self.d_model)
        return self.out_proj(context)
