# verdict: fail
# mistake: unlisted
# fails: large-mean-is-safe
"""E[x²]-E[x]² after taking off the mean of the whole tensor: rows far from that mean cancel."""

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps

    def forward(self, x):
        x = x - x.mean()
        mean = x.mean(-1, keepdim=True)
        var = (x * x).mean(-1, keepdim=True) - mean * mean
        return (x - mean) / torch.sqrt(var.clamp(min=0) + self.eps) * self.weight + self.bias
