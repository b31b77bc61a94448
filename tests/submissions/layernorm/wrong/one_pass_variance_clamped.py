# verdict: fail
# mistake: one-pass-variance
# fails: large-mean-is-safe
"""Sum and sum of squares as a kernel keeps them, with a clamp that hides the NaN but not the lost digits."""

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
        total, squares = x.sum(-1, keepdim=True), x.square().sum(-1, keepdim=True)
        mean = total / self.n
        var = (squares / self.n - mean.square()).clamp(min=0)
        return (x - mean) * torch.rsqrt(var + self.eps) * self.weight + self.bias
