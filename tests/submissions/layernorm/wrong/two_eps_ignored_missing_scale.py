# verdict: fail
# mistake: two: eps-ignored + missing-scale
# fails: matches-formula, eps-inside-the-root
"""The number 1e-5 is written into forward, and the scale is forgotten."""

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(normalized_shape))
        self.offset = nn.Parameter(torch.zeros(normalized_shape))

    def forward(self, x):
        centred = x - x.mean(-1, keepdim=True)
        return centred / (centred.pow(2).mean(-1, keepdim=True) + 1e-5).sqrt() + self.offset
