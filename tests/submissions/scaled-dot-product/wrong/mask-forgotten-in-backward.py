# verdict: fail
# mistake: unlisted
# fails: gradients-with-mask
"""A custom backward that computes the weights again to save memory, without the mask."""

import torch


class Attention(torch.autograd.Function):
    @staticmethod
    def forward(ctx, query, key, value, attn_mask):
        ctx.scale = query.shape[-1] ** -0.5
        ctx.save_for_backward(query, key, value)
        scores = query @ key.mT * ctx.scale
        if attn_mask is not None:
            scores = scores.masked_fill(~attn_mask, -torch.inf)
        return scores.softmax(-1) @ value

    @staticmethod
    def backward(ctx, grad):
        query, key, value = ctx.saved_tensors
        weights = (query @ key.mT * ctx.scale).softmax(-1)
        grad_weights = grad @ value.mT
        grad_scores = weights * (grad_weights - (grad_weights * weights).sum(-1, keepdim=True)) * ctx.scale
        return grad_scores @ key, grad_scores.mT @ query, weights.mT @ grad, None


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    return Attention.apply(query, key, value, attn_mask)
