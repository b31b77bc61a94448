# verdict: fail
# kind: exits, signals and hooks at the end
# stopped-by: BaseException is caught like any other, and its own methods are not trusted
"""Raises a BaseException whose text cannot be made."""

import torch
from torch import nn


class Nasty(BaseException):
    def __str__(self):
        raise KeyboardInterrupt

    __repr__ = __str__

    @property
    def __traceback__(self):
        raise SystemExit(0)


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps

    def forward(self, x):
        raise Nasty
