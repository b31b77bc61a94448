# verdict: fail
# mistake: unlisted
# fails: eps-inside-the-root
"""Uses eps as a floor, max(var, eps), instead of adding it."""

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps

    def forward(self, x):
        mean = x.mean(-1, keepdim=True)
        var = x.var(-1, unbiased=False, keepdim=True).clamp(min=self.eps)
        return (x - mean) / var.sqrt() * self.weight + self.bias
