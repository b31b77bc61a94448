# verdict: fail
# mistake: unlisted
# fails: input-gradients
"""A custom backward that takes the softmax for elementwise: w * g, without the row sum."""

import torch


class Attention(torch.autograd.Function):
    @staticmethod
    def forward(ctx, query, key, value, attn_mask):
        ctx.scale = query.shape[-1] ** -0.5
        scores = query @ key.mT * ctx.scale
        if attn_mask is not None:
            scores = scores.masked_fill(~attn_mask, -torch.inf)
        weights = scores.softmax(-1)
        ctx.save_for_backward(query, key, value, weights)
        return weights @ value

    @staticmethod
    def backward(ctx, grad):
        query, key, value, weights = ctx.saved_tensors
        grad_scores = weights * (grad @ value.mT) * ctx.scale
        return grad_scores @ key, grad_scores.mT @ query, weights.mT @ grad, None


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    return Attention.apply(query, key, value, attn_mask)
