"""Never adds the shift: no difference while it is zero, but the answer is wrong as soon as it is trained."""

FIX = "add the shift at the end: weight * normed + bias"
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
        variance = (centred**2).mean(dim=-1, keepdim=True)  # (..., 1)
        normed = centred / torch.sqrt(variance + self.eps)  # (..., D)

        return (self.weight * normed).to(dtype)  # (..., D)
