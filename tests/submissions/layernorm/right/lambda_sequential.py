# verdict: pass
"""The entry symbol is a lambda that puts a parameter-free normaliser and an affine layer into nn.Sequential."""

import torch
from torch import nn


class Standardise(nn.Module):
    def __init__(self, eps):
        super().__init__()
        self.eps = eps

    def forward(self, x):
        x = x - x.mean(-1, keepdim=True)
        return x * (x.pow(2).mean(-1, keepdim=True) + self.eps).pow(-0.5)


class Affine(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.a = nn.Parameter(torch.ones(width))
        self.b = nn.Parameter(torch.zeros(width))

    def forward(self, x):
        return torch.addcmul(self.b, self.a, x)


LayerNorm = lambda width, eps=1e-5: nn.Sequential(Standardise(eps), Affine(width))  # noqa: E731
