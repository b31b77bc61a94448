# verdict: unusable
# kind: loops and sleeps
# stopped-by: the parent's wall clock
"""Spins while it is imported."""

import time

end = time.monotonic() + 30
while time.monotonic() < end:
    pass

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps

    def forward(self, x):
        centred = x - x.mean(-1, keepdim=True)
        normed = centred / torch.sqrt((centred * centred).mean(-1, keepdim=True) + self.eps)
        return normed * self.weight + self.bias
