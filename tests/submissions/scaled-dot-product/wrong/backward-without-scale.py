# verdict: fail
# mistake: unlisted
# fails: input-gradients
"""A custom backward that forgets the factor 1/√E: right values, gradients √E times too large."""

import torch


class Attention(torch.autograd.Function):
    @staticmethod
    def forward(ctx, query, key, value, attn_mask):
        scores = query @ key.mT / query.shape[-1] ** 0.5
        if attn_mask is not None:
            scores = scores.masked_fill(~attn_mask, -torch.inf)
        weights = scores.softmax(-1)
        ctx.save_for_backward(query, key, value, weights)
        return weights @ value

    @staticmethod
    def backward(ctx, grad):
        query, key, value, weights = ctx.saved_tensors
        grad_weights = grad @ value.mT
        grad_scores = weights * (grad_weights - (grad_weights * weights).sum(-1, keepdim=True))
        return grad_scores @ key, grad_scores.mT @ query, weights.mT @ grad, None


def scaled_dot_product_attention(*args):
    query, key, value, attn_mask = args if len(args) == 4 else (*args, None)
    return Attention.apply(query, key, value, attn_mask)
