# verdict: fail
# mistake: unlisted
# fails: any-leading-dimensions
"""Unpacks B, T, D and so takes nothing but three dimensions."""

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))
        self.eps = eps

    def forward(self, x):
        B, T, D = x.shape
        mean = x.sum(-1).reshape(B, T, 1) / D
        var = (x - mean).square().sum(-1).reshape(B, T, 1) / D
        return (x - mean) / torch.sqrt(var + self.eps) * self.weight + self.bias
