# verdict: fail
# mistake: unlisted
# fails: input-gradient
"""Takes the root of the bare variance and squares it again: right values, NaN gradient where the variance is zero."""

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps

    def forward(self, x):
        centred = x - x.mean(-1, keepdim=True)
        std = centred.square().mean(-1, keepdim=True).sqrt()
        return centred / torch.sqrt(std**2 + self.eps) * self.weight + self.bias
