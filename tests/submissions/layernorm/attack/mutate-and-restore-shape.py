# verdict: fail
# kind: input mutation
# stopped-by: shape and strides are told after the call and compared
"""Right code that leaves its input with another shape."""

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps

    def forward(self, x):
        centred = x - x.mean(-1, keepdim=True)
        normed = centred / torch.sqrt((centred * centred).mean(-1, keepdim=True) + self.eps)
        out = normed * self.weight + self.bias
        x.data = x.data.reshape(-1)
        return out
