# verdict: fail
# mistake: unlisted
# fails: score-gradient
"""Multiplies the incoming gradient by the weights in place in a backward pass of its own: others may hold it."""

import torch


class S(torch.autograd.Function):
    @staticmethod
    def forward(ctx, scores, mask):
        w = scores.masked_fill(~mask, float("-inf")).softmax(-1)
        ctx.save_for_backward(w)
        return w

    @staticmethod
    def backward(ctx, g):
        (w,) = ctx.saved_tensors
        g.mul_(w)
        return g - w * g.sum(-1, keepdim=True), None


def causal_mask(seq_len, device=None):
    return torch.ones(seq_len, seq_len, dtype=torch.bool, device=device).tril()


def masked_softmax(scores, mask):
    return S.apply(scores, mask)
