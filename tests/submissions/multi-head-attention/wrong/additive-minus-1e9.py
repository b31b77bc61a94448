# verdict: fail
# mistake: unlisted
# fails: masked-key-has-no-influence
"""Adds -1e9; a masked score above 1e9 overcomes it."""

import math

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
        q, k, v = self.split(self.q_proj(query)), self.split(self.k_proj(key)), self.split(self.v_proj(value))
        scores = q @ k.mT / math.sqrt(self.d)
        if attn_mask is not None:
            scores = scores + (~attn_mask).to(scores.dtype) * -1e9
        return self.out_proj((scores.softmax(-1) @ v).transpose(1, 2).flatten(2))
