# verdict: fail
# mistake: unlisted
# fails: split-gradient
"""A hand-written backward pass that reshapes the gradient and forgets to transpose it back."""

import torch


class _Split(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, num_heads):
        ctx.input_shape = x.shape
        return x.reshape(x.shape[0], x.shape[1], num_heads, -1).transpose(1, 2).contiguous()

    @staticmethod
    def backward(ctx, grad):
        return grad.reshape(ctx.input_shape), None


def split_heads(x, num_heads):
    if x.shape[-1] % num_heads != 0:
        raise ValueError(f"{x.shape[-1]} is not divisible by {num_heads}")
    return _Split.apply(x, num_heads)


def merge_heads(x):
    B, H, T, d = x.shape
    return x.transpose(1, 2).reshape(B, T, H * d)
