# verdict: fail
# mistake: mask-ignored
# fails: mask-selects-keys
"""Calls masked_fill and drops its result."""

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("num_heads must divide d_model")
        self.h, self.d = num_heads, d_model // num_heads
        self.wq, self.wk, self.wv, self.wo = (nn.Linear(d_model, d_model) for _ in range(4))

    def _split(self, x):
        return x.unflatten(-1, (self.h, self.d)).transpose(-3, -2)

    def forward(self, query, key, value, attn_mask=None):
        q, k, v = self._split(self.wq(query)), self._split(self.wk(key)), self._split(self.wv(value))
        scores = torch.matmul(q, k.mT).div(self.d**0.5)
        if attn_mask is not None:
            scores.masked_fill(~attn_mask, float("-inf"))
        scores = scores - scores.amax(-1, keepdim=True)
        weights = scores.exp() / scores.exp().sum(-1, keepdim=True)
        return self.wo((weights @ v).transpose(-3, -2).flatten(-2))
