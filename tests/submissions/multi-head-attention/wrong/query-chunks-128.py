# verdict: fail
# mistake: unlisted
# fails: long-inputs
"""chunks of 128 queries, mask sliced though size one"""

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
        k, v = self.split(self.k_proj(key)), self.split(self.v_proj(value))
        outs = []
        for s in range(0, query.shape[1], 128):
            q = self.split(self.q_proj(query[:, s : s + 128]))
            scores = q @ k.mT / math.sqrt(self.d)
            if attn_mask is not None:
                scores = scores.masked_fill(~attn_mask[..., s : s + 128, :], float("-inf"))
            outs.append(self.out_proj((scores.softmax(-1) @ v).transpose(1, 2).flatten(2)))
        return torch.cat(outs, 1)
