# verdict: fail
# mistake: two: mask-inverted + missing-out-proj
# fails: matches-formula, mask-selects-keys
"""Hides what the mask shows, and returns the heads without mixing them."""

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
        q, k, v = (f(x).unflatten(-1, (self.h, self.d)) for f, x in ((self.wq, query), (self.wk, key), (self.wv, value)))
        scores = torch.einsum("blhd,bshd->bhls", q, k) * self.d**-0.5
        if attn_mask is not None:
            scores = torch.where(attn_mask, -1e9, scores)
        return torch.einsum("bhls,bshd->blhd", scores.softmax(-1), v).flatten(2)
