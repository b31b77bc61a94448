# verdict: pass
"""Centres by multiplying with I − 1/D."""

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps
        self.register_buffer(
            "centre", torch.eye(normalized_shape, dtype=torch.float64) - 1 / normalized_shape, persistent=False
        )

    def forward(self, x):
        c = x @ self.centre.to(x)
        return torch.addcmul(
            self.bias, c * torch.rsqrt(torch.linalg.vecdot(c, c).unsqueeze(-1) / x.shape[-1] + self.eps), self.weight
        )
