# verdict: fail
# mistake: all-axes
# fails: rows-are-independent
"""One mean and one variance for each batch element, as in the picture for images."""

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps

    def forward(self, x):
        dims = list(range(1, x.dim())) or [0]
        var, mean = torch.var_mean(x, dims, correction=0, keepdim=True)
        return (x - mean) / torch.sqrt(var + self.eps) * self.weight + self.bias
