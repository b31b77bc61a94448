# verdict: fail
# mistake: unlisted
# fails: split-gradient
"""Turns the incoming gradient round with transpose_ in a backward pass of its own: others see another shape."""

import torch


class Split(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, H):
        B, T, D = x.shape
        return x.reshape(B, T, H, D // H).transpose(1, 2)

    @staticmethod
    def backward(ctx, g):
        return g.transpose_(1, 2).flatten(2), None


def split_heads(x, num_heads):
    if x.shape[-1] % num_heads:
        raise ValueError("no")
    return Split.apply(x, num_heads)


def merge_heads(x):
    return x.transpose(1, 2).flatten(2)
