# verdict: fail
# kind: memory, disk and output floods
# stopped-by: the limit on a file's size
"""Grows an anonymous memory file, which no rule about folders can see."""

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
        fd = os.memfd_create("hoard")
        try:
            os.truncate(fd, 8 << 30)
            print("BREACH")
        except OSError:
            pass
        finally:
            os.close(fd)
        return x * self.weight + self.bias
