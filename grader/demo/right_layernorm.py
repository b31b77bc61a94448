"""A right LayerNorm: biased variance, eps inside the root, a learned scale and shift."""

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        work = x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
        variance, mean = torch.var_mean(work, dim=-1, keepdim=True, unbiased=False)
        normalized = (work - mean) * torch.rsqrt(variance + self.eps)
        return (self.weight * normalized + self.bias).to(x.dtype)
