# verdict: fail
# mistake: no-eps
# fails: eps-inside-the-root
"""Takes eps as an argument and keeps it, but the formula on the whiteboard had none."""

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
        return (x - mean) / var.sqrt() * self.weight + self.bias
