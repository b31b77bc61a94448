# verdict: fail
# mistake: unlisted
# fails: non-contiguous-input
"""Flattens the incoming gradient with view in a backward pass of its own: it need not be contiguous."""

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
        shape = g.shape
        g = g.view(-1, shape[-1])
        w = w.reshape(-1, shape[-1])
        return (g * w - w * (g * w).sum(-1, keepdim=True)).view(shape), None


def causal_mask(seq_len, device=None):
    return torch.ones(seq_len, seq_len, dtype=torch.bool, device=device).tril()


def masked_softmax(scores, mask):
    return S.apply(scores, mask)
