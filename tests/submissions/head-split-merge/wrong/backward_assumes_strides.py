# verdict: fail
# mistake: unlisted
# fails: non-contiguous-input
"""Reads the incoming gradient with as_strided in a backward pass of its own: it need not be contiguous."""

import torch


class Merge(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.shape = x.shape
        return x.transpose(1, 2).flatten(2)

    @staticmethod
    def backward(ctx, g):
        B, H, T, d = ctx.shape
        return torch.as_strided(g, (B, H, T, d), (T * H * d, d, H * d, 1))


def split_heads(x, num_heads):
    if x.shape[-1] % num_heads:
        raise ValueError("no")
    return x.unflatten(-1, (num_heads, -1)).transpose(1, 2)


def merge_heads(x):
    return Merge.apply(x)
