# verdict: fail
# mistake: missing-scale
# fails: matches-formula
"""Einsum over heads, and a softmax by hand; the division by the root is nowhere."""

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
        scores = torch.einsum("blhd,bshd->bhls", q, k)
        if attn_mask is not None:
            scores = torch.where(attn_mask, scores, -1e9)
        weights = (scores - scores.logsumexp(-1, keepdim=True)).exp()
        return self.wo(torch.einsum("bhls,bshd->blhd", weights, v).flatten(2))
