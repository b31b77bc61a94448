"""An autograd.Function with its own, linear, backward pass."""

import torch
import torch.nn.functional as F


class Attention(torch.autograd.Function):
    @staticmethod
    def forward(ctx, q, k, value, eps):
        state, total = k.mT @ value, k.sum(-2).unsqueeze(-1)
        below = q @ total + eps
        out = q @ state / below
        ctx.save_for_backward(q, k, value, state, total, below, out)
        return out

    @staticmethod
    def backward(ctx, grad):
        q, k, value, state, total, below, out = ctx.saved_tensors
        above = grad / below
        norm = -(above * out).sum(-1, keepdim=True)
        grad_state, grad_total = q.mT @ above, q.mT @ norm
        return above @ state.mT + norm @ total.mT, value @ grad_state.mT + grad_total.mT, k @ grad_state, None


def linear_attention(query, key, value, eps=1e-6):
    return Attention.apply(F.elu(query) + 1, F.elu(key) + 1, value, eps)
