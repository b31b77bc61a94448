# verdict: fail
# mistake: unbiased-variance
# fails: matches-formula
"""Computes the sample variance by hand, with Bessel's correction from the statistics course."""

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps

    def forward(self, x):
        centred = x - x.mean(dim=-1, keepdim=True)
        var = centred.pow(2).sum(dim=-1, keepdim=True) / max(x.shape[-1] - 1, 1)
        return centred * torch.rsqrt(var + self.eps) * self.weight + self.bias
