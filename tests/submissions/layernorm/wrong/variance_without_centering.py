# verdict: fail
# mistake: variance-without-centering
# fails: matches-formula
"""Subtracts the mean in the numerator but takes the mean square of the raw input for the variance."""

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, dim, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))
        self.bias = nn.Parameter(torch.zeros(dim))
        self.eps = eps

    def forward(self, x):
        mean = x.mean(-1, keepdim=True)
        mean_square = x.pow(2).mean(-1, keepdim=True)
        return (x - mean) * torch.rsqrt(mean_square + self.eps) * self.weight + self.bias
