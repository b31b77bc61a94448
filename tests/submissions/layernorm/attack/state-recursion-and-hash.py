# verdict: fail
# kind: global torch state
# stopped-by: every worker is a fresh process
"""Breaks the interpreter for whoever comes next: imports, recursion, switching, garbage collection."""

import contextlib
import gc
import sys

import torch
from torch import nn


sys.setswitchinterval(10)
sys.path.clear()
sys.meta_path.clear()
gc.disable()
with contextlib.suppress(RuntimeError):  # the alarm lets nobody trace
    sys.settrace(None)
sys.setrecursionlimit(150)


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps

    def forward(self, x):
        return x * self.weight + self.bias
