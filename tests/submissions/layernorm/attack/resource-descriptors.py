# verdict: fail
# kind: memory, disk and output floods
# stopped-by: the limit on open files
"""Opens descriptors until it is stopped; every one of them is closed again."""

import os

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps

    def forward(self, x):
        opened = []
        try:
            for _ in range(2000):
                opened.append(os.open(os.devnull, os.O_RDONLY))
            print("BREACH", len(opened))
        finally:
            for fd in opened:
                os.close(fd)
        return x * self.weight + self.bias
