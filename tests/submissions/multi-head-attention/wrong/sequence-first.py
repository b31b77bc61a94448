# verdict: fail
# mistake: unlisted
# fails: batch-elements-are-independent
"""Takes the inputs for (L, B, D), the old default of the library: attends across the batch."""

import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("d_model must be divisible by num_heads")
        self.h, self.d = num_heads, d_model // num_heads
        self.w_q = nn.Linear(d_model, d_model)
        self.w_k = nn.Linear(d_model, d_model)
        self.w_v = nn.Linear(d_model, d_model)
        self.w_o = nn.Linear(d_model, d_model)

    def forward(self, query, key, value, attn_mask=None):
        q = self.w_q(query).unflatten(-1, (self.h, self.d)).permute(1, 2, 0, 3)
        k = self.w_k(key).unflatten(-1, (self.h, self.d)).permute(1, 2, 0, 3)
        v = self.w_v(value).unflatten(-1, (self.h, self.d)).permute(1, 2, 0, 3)
        scores = q @ k.mT / math.sqrt(self.d)
        if attn_mask is not None:
            scores = scores.masked_fill(~attn_mask, float("-inf"))
        out = torch.softmax(scores, dim=-1) @ v
        return self.w_o(out.permute(2, 0, 1, 3).flatten(2))
