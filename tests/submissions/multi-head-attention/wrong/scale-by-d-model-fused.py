# verdict: fail
# mistake: scale-by-d-model
# fails: matches-formula
"""One fused projection, cut by weight; the scale comes from the embedding width."""

import torch
import torch.nn.functional as F
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("num_heads must divide d_model")
        self.num_heads = num_heads
        self.embed_dim = d_model
        self.qkv = nn.Linear(d_model, 3 * d_model)
        self.proj = nn.Linear(d_model, d_model)

    def _heads(self, x, part):
        weight, bias = self.qkv.weight.chunk(3)[part], self.qkv.bias.chunk(3)[part]
        B, N, _ = x.shape
        return F.linear(x, weight, bias).reshape(B, N, self.num_heads, -1).permute(0, 2, 1, 3)

    def forward(self, query, key, value, attn_mask=None):
        q, k, v = (self._heads(x, i) for i, x in enumerate((query, key, value)))
        scores = (q @ k.transpose(-1, -2)) * self.embed_dim**-0.5
        if attn_mask is not None:
            scores = scores.masked_fill(attn_mask.logical_not(), float("-inf"))
        out = torch.softmax(scores, -1) @ v
        return self.proj(out.permute(0, 2, 1, 3).flatten(2))
