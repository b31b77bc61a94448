# verdict: fail
# kind: exits, signals and hooks at the end
# stopped-by: SystemExit in a call is an exception of the candidate
"""Calls sys.exit(0) in a call."""

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
        sys.exit(0)
