"""Adds eps² to the variance, as if eps were a standard deviation; eps itself is what the formula adds."""

FIX = "add eps as it is: sqrt(variance + eps)"
KILLED_BY = "eps-inside-the-root"

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape: int, eps: float = 1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(normalized_shape))  # (D,)
        self.bias = nn.Parameter(torch.zeros(normalized_shape))  # (D,)
        self.eps = eps

    def forward(self, x):
        dtype = x.dtype
        if dtype in (torch.float16, torch.bfloat16):
            x = x.float()  # the square of anything over 255 overflows float16

        mean = x.mean(dim=-1, keepdim=True)  # (..., 1)
        centred = x - mean  # (..., D)
        variance = (centred**2).mean(dim=-1, keepdim=True)  # (..., 1)
        normed = centred / torch.sqrt(variance + self.eps**2)  # (..., D)

        return (self.weight * normed + self.bias).to(dtype)  # (..., D)
