"""Keeps the scale as a plain tensor, so that no optimiser finds it and .to() passes it by."""

FIX = "wrap it in nn.Parameter: self.weight = nn.Parameter(torch.ones(normalized_shape))"
KILLED_BY = "parameters-start-at-one-and-zero"
VARIANT_OF = "not-registered"

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape: int, eps: float = 1e-5):
        super().__init__()
        self.weight = torch.ones(normalized_shape)  # (D,)
        self.bias = nn.Parameter(torch.zeros(normalized_shape))  # (D,)
        self.eps = eps

    def forward(self, x):
        dtype = x.dtype
        if dtype in (torch.float16, torch.bfloat16):
            x = x.float()  # the square of anything over 255 overflows float16

        mean = x.mean(dim=-1, keepdim=True)  # (..., 1)
        centred = x - mean  # (..., D)
        variance = (centred**2).mean(dim=-1, keepdim=True)  # (..., 1)
        normed = centred / torch.sqrt(variance + self.eps)  # (..., D)

        return (self.weight * normed + self.bias).to(dtype)  # (..., D)
