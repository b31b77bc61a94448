# verdict: fail
# mistake: unlisted
# fails: any-leading-dimensions
"""Adds a batch dimension for single rows and squeezes at the end, eating the caller's dimensions of size one too."""

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps

    def forward(self, x):
        x = x.unsqueeze(0)
        mean = x.mean(-1, keepdim=True)
        var = x.var(-1, unbiased=False, keepdim=True)
        return ((x - mean) / torch.sqrt(var + self.eps) * self.weight + self.bias).squeeze()
