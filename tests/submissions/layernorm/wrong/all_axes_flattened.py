# verdict: fail
# mistake: all-axes
# fails: rows-are-independent
"""Flattens each element of the batch and normalises that, then gives the shape back."""

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps

    def forward(self, x):
        flat = x.reshape(x.shape[0], -1) if x.dim() > 1 else x
        var, mean = torch.var_mean(flat, dim=-1, correction=0, keepdim=True)
        normed = (flat - mean) / torch.sqrt(var + self.eps)
        return normed.reshape(x.shape) * self.weight + self.bias
