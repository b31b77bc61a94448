# verdict: fail
# mistake: detached-statistics
# fails: input-gradient
"""A hand-written backward pass without the term that comes from the variance."""

import torch
from torch import nn


class _Norm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, eps):
        var, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
        rstd = torch.rsqrt(var + eps)
        ctx.save_for_backward(rstd)
        return (x - mean) * rstd

    @staticmethod
    def backward(ctx, grad):
        (rstd,) = ctx.saved_tensors
        return rstd * (grad - grad.mean(-1, keepdim=True)), None


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps

    def forward(self, x):
        return _Norm.apply(x, self.eps) * self.weight + self.bias
