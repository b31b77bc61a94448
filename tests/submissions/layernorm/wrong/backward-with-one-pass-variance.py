# verdict: fail
# mistake: unlisted
# fails: large-mean-is-safe
"""The forward pass is sound; the backward pass computes the variance again as E[x²]-E[x]²."""

import torch
from torch import nn


class Norm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w, b, eps):
        var, mean = torch.var_mean(x, -1, correction=0, keepdim=True)
        ctx.save_for_backward(x, w)
        ctx.eps = eps
        return (x - mean) * torch.rsqrt(var + eps) * w + b

    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        mean = x.mean(-1, keepdim=True)
        var = ((x * x).mean(-1, keepdim=True) - mean * mean).clamp(min=0)
        r = torch.rsqrt(var + ctx.eps)
        h = (x - mean) * r
        gh = g * w
        gx = r * (gh - gh.mean(-1, keepdim=True) - h * (gh * h).mean(-1, keepdim=True))
        dims = tuple(range(x.dim() - 1))
        gw, gb = g * h, g
        return gx, (gw.sum(dims) if dims else gw), (gb.sum(dims) if dims else gb), None


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps

    def forward(self, x):
        return Norm.apply(x, self.weight, self.bias, self.eps)
