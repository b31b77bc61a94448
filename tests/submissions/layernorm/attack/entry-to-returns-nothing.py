# verdict: fail
# kind: odd entry symbols
# stopped-by: an exception while constructing is the candidate's
"""Returns no module from to()."""

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

    def to(self, *args, **kwargs):
        return None
