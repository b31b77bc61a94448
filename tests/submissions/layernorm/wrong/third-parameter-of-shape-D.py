# verdict: fail
# mistake: unlisted
# fails: parameters-start-at-one-and-zero
"""Registers a third parameter of shape (D,), which nothing uses."""

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps
        self.alpha = nn.Parameter(torch.full((normalized_shape,), 0.5))

    def forward(self, x):
        var, mean = torch.var_mean(x, -1, correction=0, keepdim=True)
        return (x - mean) * torch.rsqrt(var + self.eps) * self.weight + self.bias
