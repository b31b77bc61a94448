# verdict: fail
# mistake: eps-outside-sqrt
# fails: eps-inside-the-root
"""Adds eps to the standard deviation instead of to the variance."""

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
        std = x.std(-1, correction=0, keepdim=True)
        return (x - mean) / (std + self.eps) * self.weight + self.bias
