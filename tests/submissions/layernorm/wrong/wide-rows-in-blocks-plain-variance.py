# verdict: fail
# mistake: unlisted
# fails: long-inputs
"""Over 256 features, averages the variances of blocks and forgets the spread of their means."""

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps

    def forward(self, x):
        D = x.shape[-1]
        mean = x.mean(-1, keepdim=True)
        var = sum(b.var(-1, unbiased=False, keepdim=True) * b.shape[-1] for b in x.split(256, -1)) / D
        return (x - mean) * torch.rsqrt(var + self.eps) * self.weight + self.bias
