# verdict: fail
# mistake: not-registered
# fails: parameters-start-at-one-and-zero
"""Scale and shift are buffers: they move with the module but are never trained."""

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.register_buffer("weight", torch.ones(normalized_shape))
        self.register_buffer("bias", torch.zeros(normalized_shape))
        self.eps = eps

    def forward(self, x):
        mean = x.mean(-1, keepdim=True)
        var = x.var(-1, unbiased=False, keepdim=True)
        return (x - mean) / torch.sqrt(var + self.eps) * self.weight + self.bias
