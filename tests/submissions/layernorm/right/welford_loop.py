# verdict: pass
# timing: too-slow
"""Welford's running mean and sum of squares over the features, after taking the first feature as the origin."""

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.bias = nn.Parameter(torch.zeros(width))
        self.eps = eps

    def forward(self, x):
        x = x - x[..., :1].detach()  # a shift changes neither answer nor gradient; a near origin keeps the digits
        mean = torch.zeros_like(x[..., 0])
        m2 = torch.zeros_like(mean)
        for count, value in enumerate(x.unbind(-1), start=1):
            delta = value - mean
            mean = mean + delta / count
            m2 = m2 + delta * (value - mean)
        var = m2 / x.shape[-1]
        return (x - mean.unsqueeze(-1)) / (var + self.eps).sqrt().unsqueeze(-1) * self.weight + self.bias
