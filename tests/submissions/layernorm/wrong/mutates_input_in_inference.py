# verdict: fail
# mistake: mutates-input
# fails: input-unmodified
"""Saves memory when no gradient is wanted by centring and scaling in the input's own storage."""

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps

    def forward(self, x):
        var, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
        rstd = torch.rsqrt(var + self.eps)
        x = (x - mean) * rstd if x.requires_grad else x.sub_(mean).mul_(rstd)
        return x * self.weight + self.bias
