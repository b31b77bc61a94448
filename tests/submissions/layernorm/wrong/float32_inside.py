# verdict: fail
# mistake: unlisted
# fails: matches-formula
# dtypes: float64
"""Normalises in float32 whatever comes in, as mixed-precision code does, and so throws away half of a float64."""

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps

    def forward(self, x):
        h = x.to(torch.float32)
        var, mean = torch.var_mean(h, dim=-1, correction=0, keepdim=True)
        return ((h - mean) * torch.rsqrt(var + self.eps)).to(x.dtype) * self.weight + self.bias
