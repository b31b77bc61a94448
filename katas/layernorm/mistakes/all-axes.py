"""Takes one mean and one variance over every axis but the batch, so that the tokens of a sequence influence each other."""

FIX = "take both over the last axis alone: dim=-1, keepdim=True"
KILLED_BY = "rows-are-independent"

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

        axes = tuple(range(1, x.dim())) or (0,)
        mean = x.mean(dim=axes, keepdim=True)  # (B, 1, ..., 1)
        centred = x - mean  # (..., D)
        variance = (centred**2).mean(dim=axes, keepdim=True)  # (B, 1, ..., 1)
        normed = centred / torch.sqrt(variance + self.eps)  # (..., D)

        return (self.weight * normed + self.bias).to(dtype)  # (..., D)
