# verdict: fail
# kind: odd entry symbols
# stopped-by: roles are told by the values that the parent reads
"""Lists fresh parameters whenever it is asked, and uses none of them."""

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps

    def forward(self, x):
        return x * self.weight + self.bias

    def named_parameters(self, *args, **kwargs):
        size = self.weight.shape
        yield "weight", nn.Parameter(torch.ones(size))
        yield "bias", nn.Parameter(torch.zeros(size))
