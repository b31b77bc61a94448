# verdict: pass
# timing: too-slow
"""An explicit Python loop over the rows, nothing vectorised across them."""

import math

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, features, eps=1e-5):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(features))
        self.shift = nn.Parameter(torch.zeros(features))
        self.features = features
        self.eps = eps

    def forward(self, x):
        rows = []
        for row in x.reshape(math.prod(x.shape[:-1]), self.features).unbind(0):
            centred = row - row.sum() / self.features
            var = torch.dot(centred, centred) / self.features
            rows.append(centred / (var + self.eps).sqrt() * self.scale + self.shift)
        return torch.stack(rows).reshape(x.shape)
