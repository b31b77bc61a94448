# verdict: fail
# mistake: self-attention-only
# fails: cross-attention
"""A fused qkv linear applied to the query alone."""

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, dim, num_heads):
        super().__init__()
        if dim % num_heads != 0:
            raise ValueError("dim should be divisible by num_heads")
        self.num_heads, self.scale = num_heads, (dim // num_heads) ** -0.5
        self.qkv = nn.Linear(dim, dim * 3)
        self.proj = nn.Linear(dim, dim)

    def forward(self, x, context=None, context_values=None, attn_mask=None):
        B, N, C = x.shape
        qkv = self.qkv(x).reshape(B, N, 3, self.num_heads, C // self.num_heads).permute(2, 0, 3, 1, 4)
        q, k, v = qkv.unbind(0)
        attn = (q @ k.transpose(-2, -1)) * self.scale
        if attn_mask is not None:
            attn = attn.masked_fill(~attn_mask, float("-inf"))
        x = (torch.softmax(attn, dim=-1) @ v).transpose(1, 2).reshape(B, N, C)
        return self.proj(x)
