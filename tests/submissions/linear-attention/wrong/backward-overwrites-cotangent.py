# verdict: fail
# mistake: unlisted
# fails: input-gradients
"""Divides the incoming gradient by the normaliser in place in a backward pass of its own: others may hold it."""

import torch
import torch.nn.functional as F


class LA(torch.autograd.Function):
    @staticmethod
    def forward(ctx, q, k, v, eps):
        n = q @ k.sum(-2, keepdim=True).mT + eps
        out = (q @ (k.mT @ v)) / n
        ctx.save_for_backward(q, k, v, n, out)
        return out

    @staticmethod
    def backward(ctx, g):
        q, k, v, n, out = ctx.saved_tensors
        g.div_(n)
        dn = -(g * out).sum(-1, keepdim=True)
        ks = k.sum(-2, keepdim=True)
        gq = g @ (k.mT @ v).mT + dn * ks
        gs = q.mT @ g
        gk = v @ gs.mT + (dn * q).sum(-2, keepdim=True)
        gv = k @ gs
        return gq, gk, gv, None


def linear_attention(query, key, value, eps=1e-6):
    return LA.apply(F.elu(query) + 1, F.elu(key) + 1, value, eps)
