# verdict: fail
# kind: memory, disk and output floods
# stopped-by: 64 KiB of output are kept, the rest is drained
"""Prints sixteen megabytes in each of its first calls."""

import sys

import torch
from torch import nn


calls = []


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps

    def forward(self, x):
        calls.append(None)
        for _ in range(16 if len(calls) < 4 else 0):
            sys.stdout.write("FLOOD " * (1 << 18))
        return x * self.weight + self.bias
