# verdict: fail
# mistake: unlisted
# fails: matches-formula
"""Normalises in float16 for speed."""

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
        normed = ((x - mean) / torch.sqrt(var + self.eps)).half()
        return normed.to(x.dtype) * self.weight + self.bias
