# verdict: pass
"""The pedant's version: all arithmetic in float64, cast back to the dtype of the input at the end."""

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.shift = nn.Parameter(torch.zeros(normalized_shape))  # registered before the scale
        self.scale = nn.Parameter(torch.ones(normalized_shape))

    def forward(self, x):
        wide = x.double()
        wide = wide - wide.mean(dim=-1, keepdim=True)
        wide = wide / torch.sqrt(wide.pow(2).mean(dim=-1, keepdim=True) + self.eps)
        return (wide * self.scale.double() + self.shift.double()).to(x.dtype)
