# verdict: fail
# mistake: unlisted
# fails: input-gradients
"""Custom backward that looks whether the query needs a gradient and answers for all."""

import math

import torch


class Attend(torch.autograd.Function):
    @staticmethod
    def forward(ctx, q, k, v, mask):
        s = q @ k.mT / math.sqrt(q.shape[-1])
        if mask is not None:
            s = s.masked_fill(~mask, float("-inf"))
        w = s.softmax(-1)
        ctx.save_for_backward(q, k, v, w)
        return w @ v

    @staticmethod
    def backward(ctx, g):
        if not ctx.needs_input_grad[0]:
            return None, None, None, None
        q, k, v, w = ctx.saved_tensors
        gv = w.mT @ g
        gw = g @ v.mT
        gs = w * (gw - (gw * w).sum(-1, keepdim=True)) / math.sqrt(q.shape[-1])
        return gs @ k, gs.mT @ q, gv, None


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    return Attend.apply(query, key, value, attn_mask)
