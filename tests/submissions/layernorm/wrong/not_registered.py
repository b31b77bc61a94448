# verdict: fail
# mistake: not-registered
# fails: parameters-start-at-one-and-zero
"""Scale and shift are plain tensors: no optimiser and no .to() will ever see them."""

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.weight = torch.ones(normalized_shape, requires_grad=True)
        self.bias = torch.zeros(normalized_shape, requires_grad=True)
        self.eps = eps

    def forward(self, x):
        mean = x.mean(-1, keepdim=True)
        var = x.var(-1, unbiased=False, keepdim=True)
        return ((x - mean) / torch.sqrt(var + self.eps) * self.weight + self.bias).to(x.dtype)
