# verdict: pass
"""A fused qkv linear that is applied to all three inputs, each of which keeps its third; einops if it is there."""

import torch
from torch import nn

try:
    from einops import rearrange
except ImportError:
    rearrange = None


def split(x, h):
    return rearrange(x, "b t (h d) -> b h t d", h=h) if rearrange else x.unflatten(-1, (h, -1)).swapaxes(1, 2)


def merge(x):
    return rearrange(x, "b h t d -> b t (h d)") if rearrange else x.swapaxes(1, 2).flatten(-2)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("d_model % num_heads must be 0")
        self.num_heads = num_heads
        self.qkv = nn.Linear(d_model, d_model * 3)
        self.out_proj = nn.Linear(d_model, d_model)

    def forward(self, query, key, value, attn_mask=None):
        q, k, v = (self.qkv(x).chunk(3, dim=-1)[i] for i, x in enumerate((query, key, value)))
        q, k, v = (split(x, self.num_heads) for x in (q, k, v))
        scores = torch.einsum("bhld,bhsd->bhls", q, k) / q.shape[-1] ** 0.5
        if attn_mask is not None:
            scores = scores.masked_fill(~attn_mask, float("-inf"))
        return self.out_proj(merge(torch.einsum("bhls,bhsd->bhld", scores.softmax(-1), v)))
