# verdict: fail
# kind: memory, disk and output floods
# stopped-by: at most eight dimensions cross
"""Returns a tensor of sixty-four dimensions."""

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps

    def forward(self, x):
        return x.sum().reshape([1] * 64) * self.weight.sum()
