# verdict: fail
# mistake: unlisted
# fails: parameter-gradients
"""A hand-written backward pass that averages the parameter gradients over the rows instead of summing them."""

import torch
from torch import nn


class _Affine(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x_hat, weight, bias):
        ctx.save_for_backward(x_hat, weight)
        return x_hat * weight + bias

    @staticmethod
    def backward(ctx, grad):
        x_hat, weight = ctx.saved_tensors
        d = weight.shape[0]
        return grad * weight, (grad * x_hat).reshape(-1, d).mean(0), grad.reshape(-1, d).mean(0)


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps

    def forward(self, x):
        var, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
        return _Affine.apply((x - mean) * torch.rsqrt(var + self.eps), self.weight, self.bias)
