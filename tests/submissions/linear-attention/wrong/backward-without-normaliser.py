# verdict: fail
# mistake: detached-normaliser
# fails: input-gradients
"""A custom backward that differentiates the numerator and forgets that the normaliser depends on q and k."""

import torch
import torch.nn.functional as F


class LinearAttention(torch.autograd.Function):
    @staticmethod
    def forward(ctx, query, key, value, eps):
        q, k = F.elu(query) + 1, F.elu(key) + 1
        state = k.mT @ value
        norm = q @ k.sum(-2, keepdim=True).mT + eps
        ctx.save_for_backward(q, k, value, state, norm)
        return q @ state / norm

    @staticmethod
    def backward(ctx, grad):
        q, k, value, state, norm = ctx.saved_tensors
        grad = grad / norm
        grad_state = q.mT @ grad
        slope_q, slope_k = q.clamp(max=1), k.clamp(max=1)
        return grad @ state.mT * slope_q, value @ grad_state.mT * slope_k, k @ grad_state, None


def linear_attention(query, key, value, eps=1e-6):
    return LinearAttention.apply(query, key, value, eps)
