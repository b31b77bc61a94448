# verdict: fail
# mistake: divides-by-variance
# fails: matches-formula
"""Multiplies by the reciprocal of variance plus eps."""

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.a = nn.Parameter(torch.ones(normalized_shape))
        self.b = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps

    def forward(self, x):
        centred = x - x.mean(dim=-1, keepdim=True)
        precision = torch.reciprocal(centred.square().mean(dim=-1, keepdim=True) + self.eps)
        return centred * precision * self.a + self.b
