# verdict: fail
# mistake: mutates-input
# fails: input-unmodified
"""Centres with -=, which writes into the caller's tensor (and cannot be done on a leaf that needs a gradient)."""

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps

    def forward(self, x):
        x -= x.mean(-1, keepdim=True)
        var = x.pow(2).mean(-1, keepdim=True)
        return x / torch.sqrt(var + self.eps) * self.weight + self.bias
