"""Divides by x.std() + eps: std() divides by D − 1 unless told otherwise, and eps belongs inside the root."""

FIX = "write sqrt(variance + eps) with the variance that divides by D: var(..., correction=0)"
KILLED_BY = "matches-formula"

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
        variance = (centred**2).sum(dim=-1, keepdim=True) / (x.shape[-1] - 1)  # (..., 1)
        normed = centred / (torch.sqrt(variance) + self.eps)  # (..., D)

        return (self.weight * normed + self.bias).to(dtype)  # (..., D)
