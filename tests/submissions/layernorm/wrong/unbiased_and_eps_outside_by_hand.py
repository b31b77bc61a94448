# verdict: fail
# mistake: unbiased-and-eps-outside
# fails: matches-formula
"""Sample standard deviation from a sum of squares over D - 1, and eps beside the root."""

import math

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.register_parameter("scale", nn.Parameter(torch.ones(normalized_shape)))
        self.register_parameter("offset", nn.Parameter(torch.zeros(normalized_shape)))

    def forward(self, x):
        D = x.size(-1)
        centred = x - x.sum(dim=-1, keepdim=True) / D
        norm = torch.linalg.vector_norm(centred, dim=-1, keepdim=True)
        return centred / (norm / math.sqrt(max(D - 1, 1)) + self.eps) * self.scale + self.offset
