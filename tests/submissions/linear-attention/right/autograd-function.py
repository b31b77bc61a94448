# verdict: pass
"""A custom autograd.Function with the backward pass written out; it is linear too."""

import torch


class LinearAttention(torch.autograd.Function):
    @staticmethod
    def forward(ctx, query, key, value, eps):
        q = torch.where(query > 0, query + 1, query.clamp(max=0).exp())
        k = torch.where(key > 0, key + 1, key.clamp(max=0).exp())
        total, state = k.sum(-2, keepdim=True), k.mT @ value
        norm = q @ total.mT + eps
        out = q @ state / norm
        ctx.save_for_backward(q, k, value, total, state, norm, out)
        return out

    @staticmethod
    def backward(ctx, grad):
        q, k, value, total, state, norm, out = ctx.saved_tensors
        g = grad / norm
        h = -(g * out).sum(-1, keepdim=True)  # gradient of the normaliser, (..., L, 1)
        grad_state = q.mT @ g
        grad_q = g @ state.mT + h * total
        grad_k = value @ grad_state.mT + (q * h).sum(-2, keepdim=True)
        # phi' is 1 for x >= 0 and phi itself below
        return grad_q * q.clamp(max=1), grad_k * k.clamp(max=1), k @ grad_state, None


def linear_attention(query, key, value, eps=1e-6):
    return LinearAttention.apply(query, key, value, eps)
