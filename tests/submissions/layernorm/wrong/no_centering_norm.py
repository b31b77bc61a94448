# verdict: fail
# mistake: no-centering
# fails: matches-formula
"""Divides by the root mean square through vector_norm, as newer models do, and adds the shift."""

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps

    def forward(self, x):
        mean_square = torch.einsum("...d,...d->...", x, x) / x.shape[-1]
        scale = torch.rsqrt(mean_square + self.eps)
        return self.weight * x * scale[..., None] + self.bias
