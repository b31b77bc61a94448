# verdict: fail
# mistake: default-eps
# fails: eps-inside-the-root
"""The right formula with 1e-12 as the default eps: far off on rows of small variance."""

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-12):
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(d_model))
        self.beta = nn.Parameter(torch.zeros(d_model))
        self.eps = eps

    def forward(self, x):
        centred = x - x.mean(-1, keepdim=True)
        var = centred.pow(2).mean(-1, keepdim=True)
        return self.gamma * centred / torch.sqrt(var + self.eps) + self.beta
