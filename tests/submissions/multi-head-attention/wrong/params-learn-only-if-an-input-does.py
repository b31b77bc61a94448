# verdict: fail
# mistake: unlisted
# fails: parameter-gradients
"""Takes the inference path (no graph) where none of the inputs needs a gradient."""

import math

import torch
from torch import nn


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
        train = any(t.requires_grad for t in (query, key, value))
        with torch.set_grad_enabled(torch.is_grad_enabled() and train):
            q, k, v = self.split(self.q_proj(query)), self.split(self.k_proj(key)), self.split(self.v_proj(value))
            scores = q @ k.mT / math.sqrt(self.d)
            if attn_mask is not None:
                scores = scores.masked_fill(~attn_mask, float("-inf"))
            return self.out_proj((scores.softmax(-1) @ v).transpose(1, 2).flatten(2))
