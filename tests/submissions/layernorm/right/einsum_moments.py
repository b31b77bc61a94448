# verdict: pass
"""Both moments as einsum contractions; the variance is taken of the centred values."""

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, dim, eps=1e-5):
        super().__init__()
        self.dim, self.eps = dim, eps
        self.g = nn.Parameter(torch.ones(dim))
        self.b = nn.Parameter(torch.zeros(dim))

    def forward(self, x):
        centred = x - (torch.einsum("...d->...", x) / self.dim).unsqueeze(-1)
        var = torch.einsum("...d,...d->...", centred, centred) / self.dim
        normed = torch.einsum("...d,...->...d", centred, (var + self.eps) ** -0.5)
        return torch.einsum("...d,d->...d", normed, self.g) + self.b
