# verdict: fail
# mistake: unlisted
# fails: input-gradients
"""Sets the incoming gradient to zero in the backward pass of its last step: others may hold it."""

import math

import torch
from torch import nn


class Out(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w, b):
        ctx.save_for_backward(x, w)
        return x @ w.T + b

    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        gw = torch.einsum("blo,bli->oi", g, x)
        gb = g.sum((0, 1))
        gx = g @ w
        g.zero_()  # frees nothing, but looks tidy
        return gx, gw, gb


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"{d_model} features do not divide into {num_heads} heads")
        self.num_heads, self.d = num_heads, d_model // num_heads
        self.q_proj, self.k_proj, self.v_proj, self.out_proj = (nn.Linear(d_model, d_model) for _ in range(4))

    def split(self, x):
        return x.unflatten(-1, (self.num_heads, self.d)).transpose(1, 2)

    def forward(self, query, key, value, attn_mask=None):
        q, k, v = self.split(self.q_proj(query)), self.split(self.k_proj(key)), self.split(self.v_proj(value))
        scores = q @ k.mT / math.sqrt(self.d)
        if attn_mask is not None:
            scores = scores.masked_fill(~attn_mask, float("-inf"))
        return Out.apply((scores.softmax(-1) @ v).transpose(1, 2).flatten(2), self.out_proj.weight, self.out_proj.bias)
