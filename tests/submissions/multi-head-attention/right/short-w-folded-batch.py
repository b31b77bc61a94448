# verdict: pass
"""wq, wk, wv, wo; the heads are folded into the batch for torch.baddbmm, and the mask becomes an additive bias."""

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, dim, n_heads):
        super().__init__()
        if dim % n_heads != 0:
            raise ValueError(f"{dim} % {n_heads} != 0")
        self.n_heads, self.head_dim = n_heads, dim // n_heads
        self.wq, self.wk, self.wv, self.wo = (nn.Linear(dim, dim) for _ in range(4))

    def fold(self, x):
        B, T, _ = x.shape
        return x.reshape(B, T, self.n_heads, self.head_dim).permute(0, 2, 1, 3).reshape(-1, T, self.head_dim)

    def forward(self, xq, xk, xv, mask=None):
        (B, L, D), S, H = xq.shape, xk.shape[1], self.n_heads
        q, k, v = self.fold(self.wq(xq)), self.fold(self.wk(xk)), self.fold(self.wv(xv))
        bias = q.new_zeros(B * H, L, S)
        if mask is not None:
            bias = bias.masked_fill(~mask.expand(B, H, L, S).reshape(B * H, L, S), float("-inf"))
        weights = torch.baddbmm(bias, q, k.mT, alpha=self.head_dim**-0.5).softmax(-1)
        out = torch.bmm(weights, v).view(B, H, L, self.head_dim).transpose(1, 2).reshape(B, L, D)
        return self.wo(out)
