"""A wrong LayerNorm that looks right: eps is added to the standard deviation, after the root instead of inside it."""

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        mean = x.mean(dim=-1, keepdim=True)
        spread = x.std(dim=-1, keepdim=True, unbiased=False)
        return self.weight * (x - mean) / (spread + self.eps) + self.bias
