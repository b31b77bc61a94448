# verdict: fail
# kind: global torch state
# stopped-by: the worker sets the gradient mode itself; products are compared
"""Switches gradients off for the whole process, and in each call."""

import torch
from torch import nn


torch.set_grad_enabled(False)


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps

    def forward(self, x):
        torch.set_grad_enabled(False)
        centred = x - x.mean(-1, keepdim=True)
        normed = centred / torch.sqrt((centred * centred).mean(-1, keepdim=True) + self.eps)
        return normed * self.weight + self.bias
