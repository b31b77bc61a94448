# verdict: fail
# kind: false gradients
# stopped-by: products are compared for a random cotangent
"""Right values with a backward pass of ones."""

import torch
from torch import nn


class Fake(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, bias, eps):
        ctx.save_for_backward(x, weight)
        centred = x - x.mean(-1, keepdim=True)
        return centred / torch.sqrt((centred * centred).mean(-1, keepdim=True) + eps) * weight + bias

    @staticmethod
    def backward(ctx, grad):
        x, weight = ctx.saved_tensors
        return torch.ones_like(x), torch.ones_like(weight), torch.ones_like(weight), None


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps

    def forward(self, x):
        return Fake.apply(x, self.weight, self.bias, self.eps)
