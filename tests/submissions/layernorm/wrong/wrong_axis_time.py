# verdict: fail
# mistake: wrong-axis
# fails: rows-are-independent
"""Reads (B, T, D) from the right by one too many and normalises over the positions."""

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps

    def forward(self, x):
        axis = -2 if x.dim() > 1 else -1
        centred = x - x.mean(axis, keepdim=True)
        var = centred.square().mean(axis, keepdim=True)
        return centred / (var + self.eps).sqrt() * self.weight + self.bias
