# verdict: fail
# mistake: unlisted
# fails: non-contiguous-input
"""Folds the incoming gradient with view in a backward pass of its own: it need not be contiguous."""

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
        g = (g.view(-1, g.shape[-1]) / n.reshape(-1, 1)).view(out.shape)
        dn = -(g * out).sum(-1, keepdim=True)
        ks = k.sum(-2, keepdim=True)
        gq = g @ (k.mT @ v).mT + dn * ks
        gs = q.mT @ g
        gk = v @ gs.mT + (dn * q).sum(-2, keepdim=True)
        gv = k @ gs
        return gq, gk, gv, None


def linear_attention(query, key, value, eps=1e-6):
    return LA.apply(F.elu(query) + 1, F.elu(key) + 1, value, eps)
