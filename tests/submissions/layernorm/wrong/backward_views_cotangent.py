# verdict: fail
# mistake: unlisted
# fails: non-contiguous-input
"""Flattens the incoming gradient with view in a backward pass of its own: it need not be contiguous."""

import torch
from torch import nn


class Norm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w, b, eps):
        var, mean = torch.var_mean(x, -1, correction=0, keepdim=True)
        r = torch.rsqrt(var + eps)
        h = (x - mean) * r
        ctx.save_for_backward(h, r, w)
        return h * w + b

    @staticmethod
    def backward(ctx, g):
        h, r, w = ctx.saved_tensors
        D = h.shape[-1]
        rows = g.view(-1, D)
        gw, gb = (rows * h.reshape(-1, D)).sum(0), rows.sum(0)
        g = g * w
        gx = r * (g - g.mean(-1, keepdim=True) - h * (g * h).mean(-1, keepdim=True))
        return gx, gw, gb, None


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps

    def forward(self, x):
        return Norm.apply(x, self.weight, self.bias, self.eps)
