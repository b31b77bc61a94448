# verdict: fail
# mistake: missing-out-proj
# fails: matches-formula
"""The batch size is repaired; heads are neither moved before the positions nor merged, and no output layer exists."""

import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        if width % heads:
            raise ValueError("width must be divisible by heads")
        self.heads, self.size = heads, width // heads
        self.q_linear = nn.Linear(width, width)
        self.k_linear = nn.Linear(width, width)
        self.v_linear = nn.Linear(width, width)

    def forward(self, query, key, value, attn_mask=None):
        batch = query.size(0)
        q = self.q_linear(query).view(batch, -1, self.heads, self.size)
        k = self.k_linear(key).view(batch, -1, self.heads, self.size)
        v = self.v_linear(value).view(batch, -1, self.heads, self.size)
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.size)
        if attn_mask is not None:
            scores = scores.masked_fill(attn_mask == 0, -1e9)
        return torch.softmax(scores, dim=-1) @ v
