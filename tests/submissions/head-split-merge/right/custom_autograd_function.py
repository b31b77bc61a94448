# verdict: pass
"""Two torch.autograd.Functions, each the backward pass of the other."""

import torch


class HeadsDoNotDivide(ValueError):
    pass


def _split(x, num_heads):
    return x.reshape(x.shape[0], x.shape[1], num_heads, -1).transpose(1, 2).clone()


def _merge(x):
    return x.transpose(1, 2).reshape(x.shape[0], x.shape[2], -1)


class _Split(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, num_heads):
        return _split(x, num_heads)

    @staticmethod
    def backward(ctx, grad):
        return _merge(grad), None


class _Merge(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.num_heads = x.shape[1]
        return _merge(x).clone()

    @staticmethod
    def backward(ctx, grad):
        return _split(grad, ctx.num_heads)


def split_heads(x, num_heads):
    if x.shape[-1] % num_heads:
        raise HeadsDoNotDivide(f"{x.shape[-1]} % {num_heads} != 0")
    return _Split.apply(x, num_heads)


merge_heads = _Merge.apply
