# verdict: fail
# mistake: unlisted
# fails: non-contiguous-input
"""Subtracts the mean in place from input that is not contiguous and requires no gradient."""

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, n, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(n))
        self.bias = nn.Parameter(torch.zeros(n))
        self.eps = eps

    def forward(self, x):
        if not x.is_contiguous() and not x.requires_grad:
            with torch.no_grad():
                x.sub_(x.mean(-1, keepdim=True))
        var, mean = torch.var_mean(x, -1, correction=0, keepdim=True)
        return (x - mean) * torch.rsqrt(var + self.eps) * self.weight + self.bias
