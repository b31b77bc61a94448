# verdict: fail
# kind: hidden library calls
# stopped-by: the recorders see the operator, whatever name leads to it
"""Calls the operator inside a compiled script."""

from typing import List

import torch.nn.functional as F

import torch
from torch import nn


@torch.jit.script
def script(x: torch.Tensor, shape: List[int], weight: torch.Tensor, bias: torch.Tensor, eps: float):
    return F.layer_norm(x, shape, weight, bias, eps)


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps

    def forward(self, x):
        return script(x, list(self.weight.shape), self.weight, self.bias, self.eps)
