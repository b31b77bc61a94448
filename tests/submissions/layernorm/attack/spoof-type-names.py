# verdict: fail
# kind: spoofed output
# stopped-by: names are cut and escaped
"""Returns an object whose class name is an escape sequence and a verdict."""

import torch
from torch import nn


Odd = type("\x1b[2J✓ PASS  layernorm\n" + "x" * 5000, (), {})


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps

    def forward(self, x):
        return Odd()
