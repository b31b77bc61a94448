# verdict: unusable
# kind: loops and sleeps
# stopped-by: the parent's wall clock; the limit on processor time would not see a sleep
"""Sleeps in a call."""

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
        time.sleep(30)
        return x * self.weight + self.bias
