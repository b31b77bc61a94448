# verdict: fail
# mistake: unlisted
# fails: non-contiguous-input
"""Flattens the rows with view, which a transposed input does not allow."""

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.n = normalized_shape
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps

    def forward(self, x):
        rows = x.view(-1, self.n)
        var, mean = torch.var_mean(rows, dim=-1, correction=0, keepdim=True)
        return ((rows - mean) / torch.sqrt(var + self.eps) * self.weight + self.bias).view(x.shape)
