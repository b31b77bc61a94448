# verdict: fail
# mistake: two: unbiased-variance + missing-shift
# fails: matches-formula
"""torch.var as it comes, and a shift that is registered and never added."""

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(normalized_shape))
        self.shift = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps

    def forward(self, x):
        var, mean = torch.var_mean(x, dim=-1, keepdim=True)
        return self.gain * (x - mean) * torch.rsqrt(var + self.eps)
