# verdict: fail
# mistake: eps-squared
# fails: eps-inside-the-root
"""Reads eps as a standard deviation and adds its square to the variance."""

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps

    def forward(self, x):
        std, mean = torch.std_mean(x, dim=-1, correction=0, keepdim=True)
        return (x - mean) / torch.hypot(std, torch.full_like(std, self.eps)) * self.weight + self.bias
