# verdict: fail
# kind: false gradients
# stopped-by: products are compared for a random cotangent
"""Right values; a hook replaces the gradient of the input by zeros."""

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
        if centred.requires_grad:
            centred.register_hook(torch.zeros_like)
        return centred / torch.sqrt((centred * centred).mean(-1, keepdim=True) + self.eps) * self.weight + self.bias
