# verdict: fail
# mistake: unlisted
# fails: no-forbidden-operator
"""Puts the name of the library function together at run time, so that a search of the text finds nothing."""

import torch
from torch import nn

_norm = getattr(torch, "_".join(["layer", "norm"]))


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps

    def forward(self, x):
        return _norm(x, (x.size(-1),), self.weight, self.bias, self.eps)
