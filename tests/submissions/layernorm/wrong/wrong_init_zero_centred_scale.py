# verdict: fail
# mistake: wrong-init
# fails: parameters-start-at-one-and-zero
"""Stores the scale as an offset from one, so both parameters start at zero."""

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps

    def forward(self, x):
        var, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
        return (x - mean) * torch.rsqrt(var + self.eps) * (1 + self.weight) + self.bias
