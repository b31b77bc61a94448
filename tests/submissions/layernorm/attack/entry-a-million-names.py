# verdict: unusable
# kind: odd entry symbols
# stopped-by: messages are capped on both sides
"""Registers so many parameters that their list does not fit into a message."""

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps

    def forward(self, x):
        return x

    def named_parameters(self, *args, **kwargs):
        parameter = self.weight.detach()
        for number in range(20_000):
            yield f"parameter_{number:0200}", parameter
