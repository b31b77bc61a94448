# verdict: pass
"""Moves the features to the front, normalises over dim 0 and moves them back: the answer is non-contiguous."""

import torch
from torch import nn


class _Norm(nn.Module):
    def __init__(self, n, eps):
        super().__init__()
        self.register_parameter("w", nn.Parameter(torch.ones(n)))
        self.register_parameter("c", nn.Parameter(torch.zeros(n)))
        self.eps = eps

    def forward(self, x):
        cols = x.movedim(-1, 0)  # (D, ...)
        shape = (-1,) + (1,) * (cols.dim() - 1)
        cols = cols - cols.mean(0)
        cols = cols / torch.sqrt(cols.square().mean(0) + self.eps)
        return (cols * self.w.view(shape) + self.c.view(shape)).movedim(0, -1)


class LayerNorm:
    def __new__(cls, n, eps=1e-5):
        return _Norm(n, eps)
