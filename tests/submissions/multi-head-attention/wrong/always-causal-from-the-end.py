# verdict: fail
# mistake: always-causal
# fails: not-causal-unless-asked
"""Aligns its causal triangle with the last key, as a decoder with a cache does."""

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("num_heads must divide d_model")
        self.h, self.d = num_heads, d_model // num_heads
        self.wq, self.wk, self.wv, self.wo = (nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, query, key, value, attn_mask=None):
        B, L, D = query.shape
        S = key.shape[1]
        q, k, v = (
            f(x).view(B, -1, self.h, self.d).transpose(1, 2)
            for f, x in ((self.wq, query), (self.wk, key), (self.wv, value))
        )
        scores = q @ k.mT * self.d**-0.5
        visible = torch.arange(S)[None, :] <= torch.arange(L)[:, None] + max(S - L, 0)
        if attn_mask is not None:
            visible = visible & attn_mask
        scores = scores.masked_fill(~visible.to(scores.device), float("-inf"))
        return self.wo((scores.softmax(-1) @ v).transpose(1, 2).reshape(B, L, D))
