# verdict: pass
"""An autograd function with setup_context that gives its weights too, marked as not differentiable, and expects no gradient of them."""

import math

import torch


class A(torch.autograd.Function):
    @staticmethod
    def forward(q, k, v, m):
        s = q @ k.mT / math.sqrt(q.shape[-1])
        if m is not None:
            s = s.masked_fill(~m, float("-inf"))
        w = s.softmax(-1)
        return w @ v, w

    @staticmethod
    def setup_context(ctx, inputs, output):
        q, k, v, _ = inputs
        ctx.save_for_backward(q, k, v, output[1])
        ctx.mark_non_differentiable(output[1])
        ctx.set_materialize_grads(False)

    @staticmethod
    def backward(ctx, g, _):
        if g is None:
            return None, None, None, None
        q, k, v, w = ctx.saved_tensors
        gw = g @ v.mT
        gs = w * (gw - (gw * w).sum(-1, keepdim=True)) / math.sqrt(q.shape[-1])
        return gs @ k, gs.mT @ q, w.mT @ g, None


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    return A.apply(query, key, value, attn_mask)[0]
