# verdict: fail
# mistake: unlisted
# fails: repeatable
"""A shorter way for inference, taken where gradients are switched off, does not know of the mask."""

import math

import torch
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

    def split(self, x):
        return x.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

    def forward(self, query, key, value, attn_mask=None):
        q, k, v = self.split(self.q_proj(query)), self.split(self.k_proj(key)), self.split(self.v_proj(value))
        scores = q @ k.mT / math.sqrt(q.shape[-1])
        if attn_mask is not None and torch.is_grad_enabled():
            scores = scores.masked_fill(~attn_mask, float("-inf"))
        return self.out_proj((scores.softmax(-1) @ v).transpose(1, 2).flatten(2))
