# verdict: fail
# mistake: unlisted
# fails: parameter-gradients
"""Switches the graph off where the input needs no gradient: in the first layer of a model nothing learns."""

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps

    def forward(self, x):
        with torch.set_grad_enabled(torch.is_grad_enabled() and x.requires_grad):
            var, mean = torch.var_mean(x, -1, correction=0, keepdim=True)
            return (x - mean) * torch.rsqrt(var + self.eps) * self.weight + self.bias
