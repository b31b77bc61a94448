# verdict: unusable
# kind: crashes of the process
# stopped-by: the worker is a process of its own
"""Overflows the stack of the interpreter itself."""

import resource

resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))

import os
import sys

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps

    def forward(self, x):
        sys.setrecursionlimit(1 << 30)
        nested = []
        for _ in range(300_000):
            nested = [nested]
        try:
            repr(nested)
        except RecursionError:  # newer interpreters guard themselves
            os.abort()
