# verdict: fail
# kind: false gradients
# stopped-by: the input's own product is compared
"""Right values by detached statistics: the gradient passes straight through."""

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
        out = centred / torch.sqrt((centred * centred).mean(-1, keepdim=True) + self.eps) * self.weight + self.bias
        fake = x * self.weight + self.bias
        return fake + (out - fake).detach()
