"""Takes mean and variance over dimension 1, which is the features for plain matrices only."""

FIX = "take both over the features of each row: dim=-1, keepdim=True"
KILLED_BY = "rows-are-independent"
VARIANT_OF = "wrong-axis"

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

        mean = x.mean(dim=1, keepdim=True)
        centred = x - mean  # (..., D)
        variance = (centred**2).mean(dim=1, keepdim=True)
        normed = centred / torch.sqrt(variance + self.eps)  # (..., D)

        return (self.weight * normed + self.bias).to(dtype)  # (..., D)
