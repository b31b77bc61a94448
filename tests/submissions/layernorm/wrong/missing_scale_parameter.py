# verdict: fail
# mistake: missing-scale
# fails: parameters-start-at-one-and-zero
"""Leaves the scale out altogether because the following linear layer could learn it."""

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps

    def forward(self, x):
        var, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
        return (x - mean) * torch.rsqrt(var + self.eps) + self.bias
