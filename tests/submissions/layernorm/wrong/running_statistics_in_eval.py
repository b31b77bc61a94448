# verdict: fail
# mistake: unlisted
# fails: matches-formula
"""Brings a habit from BatchNorm: in eval mode it uses running statistics instead of the row's own."""

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5, momentum=0.1):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.register_buffer("running_mean", torch.zeros(1))
        self.register_buffer("running_var", torch.ones(1))
        self.eps, self.momentum = eps, momentum

    def forward(self, x):
        if self.training:
            var, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
            self.running_mean.lerp_(mean.detach().mean(), self.momentum)
            self.running_var.lerp_(var.detach().mean(), self.momentum)
        else:
            mean, var = self.running_mean, self.running_var
        return (x - mean) / torch.sqrt(var + self.eps) * self.weight + self.bias
