# verdict: pass
# timing: too-slow
"""A torch.autograd.Function whose backward pass is weights * (grad - sum(grad * weights))."""

import torch


def causal_mask(seq_len, device=None):
    mask = torch.zeros(seq_len, seq_len, dtype=torch.bool, device=device)
    for i in range(seq_len):
        mask[i, : i + 1] = True
    return mask


class _MaskedSoftmax(torch.autograd.Function):
    @staticmethod
    def forward(ctx, scores, mask):
        filled = scores.masked_fill(mask.logical_not(), -torch.inf)
        exps = (filled - filled.max(dim=-1, keepdim=True).values).exp()
        weights = exps / exps.sum(dim=-1, keepdim=True)
        ctx.save_for_backward(weights)
        return weights

    @staticmethod
    def backward(ctx, grad):
        (weights,) = ctx.saved_tensors
        return weights * (grad - (grad * weights).sum(dim=-1, keepdim=True)), None


def masked_softmax(scores, mask):
    return _MaskedSoftmax.apply(scores, mask)
