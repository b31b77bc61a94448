"""Layer normalisation: every row of features gets mean 0 and variance 1, then a learned scale and shift.

    y = weight · (x - μ) / √(σ² + eps) + bias,    μ = mean(x),  σ² = mean((x - μ)²)  over the last dimension

    x (..., D)    weight (D,) starts at ones    bias (D,) starts at zeros    ->    y (..., D)

σ² is the biased variance: it divides by D, not D - 1.

Ba, Kiros and Hinton 2016, "Layer Normalization", equations 3 and 4; eps as in Ioffe and Szegedy 2015, algorithm 1.
"""

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
        # Subtract first, square after: E[x²] - E[x]² cancels when the mean is large beside the spread.
        variance = (centred**2).mean(dim=-1, keepdim=True)  # (..., 1)
        normed = centred / torch.sqrt(variance + self.eps)  # (..., D)

        return (self.weight * normed + self.bias).to(dtype)  # (..., D)
