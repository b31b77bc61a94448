"""Linear forward; the backward pass of its autograd.Function goes through the L×S matrix."""

import torch
import torch.nn.functional as F


class Attention(torch.autograd.Function):
    @staticmethod
    def forward(ctx, q, k, value, eps):
        ctx.save_for_backward(q, k, value)
        ctx.eps = eps
        return q @ (k.mT @ value) / (q @ k.sum(-2).unsqueeze(-1) + eps)

    @staticmethod
    def backward(ctx, grad):
        q, k, value = (t.detach().requires_grad_() for t in ctx.saved_tensors)
        with torch.enable_grad():
            weights = q @ k.mT
            out = weights @ value / (weights.sum(-1, keepdim=True) + ctx.eps)
        return (*torch.autograd.grad(out, (q, k, value), grad), None)


def linear_attention(query, key, value, eps=1e-6):
    return Attention.apply(F.elu(query) + 1, F.elu(key) + 1, value, eps)
