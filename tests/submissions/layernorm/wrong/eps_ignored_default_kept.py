# verdict: fail
# mistake: eps-ignored
# fails: eps-inside-the-root
"""The class attribute with the default is read in forward; the argument of the constructor goes nowhere."""

import torch
from torch import nn


class LayerNorm(nn.Module):
    EPS = 1e-5

    def __init__(self, normalized_shape, eps=EPS):
        super().__init__()
        self.g = nn.Parameter(torch.ones(normalized_shape))
        self.b = nn.Parameter(torch.zeros(normalized_shape))

    def forward(self, x):
        mu = x.mean(-1, keepdim=True)
        var = (x - mu).pow(2).mean(-1, keepdim=True)
        inverse = (var + LayerNorm.EPS) ** -0.5
        return self.g * ((x - mu) * inverse) + self.b
