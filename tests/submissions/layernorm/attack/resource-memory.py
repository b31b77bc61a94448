# verdict: fail
# kind: memory, disk and output floods
# stopped-by: the limit on address space
"""Reserves far more memory than the limit; it is never touched."""

import mmap

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps

    def forward(self, x):
        hold = mmap.mmap(-1, 16 << 30)
        print("BREACH", len(hold))
        return x * self.weight + self.bias
