# verdict: fail
# mistake: unlisted
# fails: repeatable
"""Centres the shift in place after each call, to keep it small: the next call starts from another one."""

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps

    def forward(self, x):
        var, mean = torch.var_mean(x, -1, correction=0, keepdim=True)
        out = (x - mean) * torch.rsqrt(var + self.eps) * self.weight + self.bias
        with torch.no_grad():
            self.bias.sub_(self.bias.mean())
        return out
