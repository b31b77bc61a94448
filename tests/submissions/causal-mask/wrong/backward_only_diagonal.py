# verdict: fail
# mistake: unlisted
# fails: score-gradient
"""A hand-written backward pass with p * (1 - p), the slope of a sigmoid, in place of the softmax Jacobian."""

import torch


def causal_mask(seq_len, device=None):
    return torch.tril(torch.ones(seq_len, seq_len, dtype=torch.bool, device=device))


class _Softmax(torch.autograd.Function):
    @staticmethod
    def forward(ctx, scores):
        weights = torch.softmax(scores, dim=-1)
        ctx.save_for_backward(weights)
        return weights

    @staticmethod
    def backward(ctx, grad):
        (weights,) = ctx.saved_tensors
        return grad * weights * (1 - weights)


def masked_softmax(scores, mask):
    return _Softmax.apply(scores.masked_fill(~mask, float("-inf")))
