# verdict: fail
# mistake: no-eps
# fails: eps-inside-the-root
"""rsqrt of the bare variance; eps is stored and printed, never added."""

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.w = nn.Parameter(torch.ones(normalized_shape))
        self.b = nn.Parameter(torch.zeros(normalized_shape))

    def extra_repr(self):
        return f"eps={self.eps}"

    def forward(self, x):
        var, mean = torch.var_mean(x, dim=-1, unbiased=False, keepdim=True)
        return (x - mean) * var.rsqrt() * self.w + self.b
