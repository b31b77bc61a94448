# verdict: pass
"""E[x²] − E[x]² after taking off each row's first number and what is left of its mean: sound."""

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, n, eps=1e-5):
        super().__init__()
        self.w = nn.Parameter(torch.ones(n))
        self.b = nn.Parameter(torch.zeros(n))
        self.eps = eps

    def forward(self, x):
        y = x - x[..., :1]
        m = y.mean(-1, keepdim=True)
        var = (y * y).mean(-1, keepdim=True) - m * m
        return (y - m) * torch.rsqrt(var.clamp_min(0) + self.eps) * self.w + self.b
