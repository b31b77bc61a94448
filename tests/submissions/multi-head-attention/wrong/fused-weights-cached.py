# verdict: fail
# mistake: unlisted
# fails: matches-formula
"""Joins the three weights at the first call and keeps the joint one: weights that are loaded or trained later are not seen."""

import math

import torch
import torch.nn.functional as F
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("d_model must be divisible by num_heads")
        self.num_heads = num_heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.joint = None

    def forward(self, query, key, value, attn_mask=None):
        if self.joint is None:
            linears = (self.q_proj, self.k_proj, self.v_proj)
            self.joint = torch.cat([m.weight for m in linears]), torch.cat([m.bias for m in linears])
        weights, biases = (part.chunk(3) for part in self.joint)
        q, k, v = (
            F.linear(x, w, b).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for x, w, b in zip((query, key, value), weights, biases, strict=True)
        )
        scores = q @ k.mT / math.sqrt(q.shape[-1])
        if attn_mask is not None:
            scores = scores.masked_fill(~attn_mask, float("-inf"))
        return self.out_proj((scores.softmax(-1) @ v).transpose(1, 2).flatten(2))
