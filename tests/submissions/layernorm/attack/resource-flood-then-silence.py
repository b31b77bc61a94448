# verdict: unusable
# kind: memory, disk and output floods
# stopped-by: the deadline holds while output is drained
"""Prints without an end and never answers."""

import os
import time

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps

    def forward(self, x):
        end = time.monotonic() + 20
        while __name__ == "submission" and time.monotonic() < end:
            os.write(2, b"FLOOD " * 4096)
        return x * self.weight + self.bias
