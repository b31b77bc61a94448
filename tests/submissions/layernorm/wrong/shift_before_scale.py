# verdict: fail
# mistake: shift-before-scale
# fails: matches-formula
"""Adds the shift before multiplying by the scale: the same while both have their starting values."""

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps

    def forward(self, x):
        var, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
        return self.weight * ((x - mean) * torch.rsqrt(var + self.eps) + self.bias)
