# verdict: fail
# mistake: merge-without-transpose
# fails: matches-formula
"""Folds the heads into the batch for bmm and unfolds them straight into (B, L, D)."""

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("num_heads must divide d_model")
        self.h, self.d = num_heads, d_model // num_heads
        self.wq, self.wk, self.wv, self.wo = (nn.Linear(d_model, d_model) for _ in range(4))

    def _fold(self, x):
        B, N, _ = x.shape
        return x.view(B, N, self.h, self.d).transpose(1, 2).reshape(B * self.h, N, self.d)

    def forward(self, query, key, value, attn_mask=None):
        B, L, D = query.shape
        q, k, v = self._fold(self.wq(query)), self._fold(self.wk(key)), self._fold(self.wv(value))
        scores = torch.bmm(q, k.transpose(1, 2)) / self.d**0.5
        if attn_mask is not None:
            mask = attn_mask.expand(B, self.h, L, key.shape[1]).reshape(B * self.h, L, -1)
            scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
        out = torch.bmm(scores.softmax(-1), v)
        return self.wo(out.view(B, L, D))
