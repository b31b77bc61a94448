# verdict: fail
# kind: odd entry symbols
# stopped-by: what a candidate's object raises is the candidate's exception
"""Every attribute of its instances raises SystemExit."""

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps

    def forward(self, x):
        return x

    def __getattribute__(self, name):
        raise SystemExit(0)
