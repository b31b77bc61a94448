"""Takes eps as an argument but computes with a fixed number, so that another eps changes nothing."""

FIX = "use self.eps in forward, where the number stands"
KILLED_BY = "eps-inside-the-root"
VARIANTS = [{"EPS": 1e-6}, {"EPS": 1e-8}, {"EPS": 1e-12}]

import torch
from torch import nn

EPS = 1e-5


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
        normed = centred / torch.sqrt(variance + EPS)  # (..., D)

        return (self.weight * normed + self.bias).to(dtype)  # (..., D)
