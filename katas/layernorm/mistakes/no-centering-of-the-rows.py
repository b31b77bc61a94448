"""Divides by the standard deviation, but never subtracts the mean from the rows."""

FIX = "subtract the mean first, and normalise the centred values"
KILLED_BY = "matches-formula"
VARIANT_OF = "no-centering"

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

        variance = x.var(dim=-1, correction=0, keepdim=True)  # (..., 1)
        normed = x / torch.sqrt(variance + self.eps)  # (..., D)

        return (self.weight * normed + self.bias).to(dtype)  # (..., D)
