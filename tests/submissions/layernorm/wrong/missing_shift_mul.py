# verdict: fail
# mistake: missing-shift
# fails: matches-formula
"""Returns torch.mul of scale and normalised rows; the shift was meant for a second statement."""

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(normalized_shape))
        self.shift = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps

    def forward(self, x):
        var, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
        result = torch.mul(self.scale, (x - mean) / torch.sqrt(var + self.eps))
        result + self.shift
        return result
