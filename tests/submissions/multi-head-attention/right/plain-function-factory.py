# verdict: pass
"""The entry symbol is a function that returns a scripted module."""

import math
from typing import Optional

import torch
from torch import Tensor, nn


class Attention(nn.Module):
    def __init__(self, d_model: int, num_heads: int):
        super().__init__()
        self.num_heads = num_heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.proj = nn.Linear(d_model, d_model)

    def forward(self, query: Tensor, key: Tensor, value: Tensor, attn_mask: Optional[Tensor] = None) -> Tensor:
        B, L, D = query.shape
        S, d = key.shape[1], D // self.num_heads
        q = self.q_proj(query).view(B, L, self.num_heads, d).transpose(1, 2)
        k = self.k_proj(key).view(B, S, self.num_heads, d).transpose(1, 2)
        v = self.v_proj(value).view(B, S, self.num_heads, d).transpose(1, 2)
        scores = torch.matmul(q, k.transpose(2, 3)) / math.sqrt(d)
        if attn_mask is not None:
            scores = scores.masked_fill(~attn_mask, float("-inf"))
        out = torch.matmul(torch.softmax(scores, dim=-1), v).transpose(1, 2).reshape(B, L, D)
        return self.proj(out)


def MultiHeadAttention(d_model, num_heads):  # noqa: N802
    if d_model % num_heads != 0:
        raise ValueError("d_model has to be divisible by num_heads")
    return torch.jit.script(Attention(d_model, num_heads))
