# verdict: unusable
# kind: exits, signals and hooks at the end
# stopped-by: a worker that breaks while it describes an exception is dead; nothing passes
"""Raises an exception whose class lies about its name and its kind."""

import torch
from torch import nn


class Meta(type):
    @property
    def __name__(cls):
        raise SystemExit(0)


class Odd(ValueError, metaclass=Meta):
    pass


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps

    def forward(self, x):
        raise Odd
