# verdict: pass
"""The entry symbol is a function that returns a module compiled with torch.jit.script."""

import torch
from torch import Tensor, nn


class _Eager(nn.Module):
    def __init__(self, width: int, eps: float):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.bias = nn.Parameter(torch.zeros(width))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        mean = x.mean(dim=-1, keepdim=True)
        var = (x - mean).pow(2).mean(dim=-1, keepdim=True)
        return (x - mean) * torch.rsqrt(var + self.eps) * self.weight + self.bias


def LayerNorm(normalized_shape: int, eps: float = 1e-5):
    return torch.jit.script(_Eager(normalized_shape, eps))
