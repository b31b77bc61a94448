# verdict: unusable
# kind: loops and sleeps
# stopped-by: SIGKILL does not need the interpreter
"""Blocks inside C code that holds the interpreter's lock."""

import re

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps

    def forward(self, x):
        re.match(r"(a?){26}a{26}", "a" * 26)
        re.match(r"(a|aa)+$", "a" * 34 + "b")  # some seconds, without a break
        re.match(r"(a|aa)+$", "a" * 36 + "b")
        return x * self.weight + self.bias
