# verdict: fail
# kind: input mutation
# stopped-by: the expected answer was computed from a private copy before the call
"""Zeroes the input, so that zeros would be the right answer."""

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps

    def forward(self, x):
        x.data.zero_()
        return x * self.weight + self.bias
