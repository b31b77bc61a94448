# verdict: fail
# mistake: missing-out-proj
# fails: matches-formula
"""After another blog post: forward takes one input x, uses a batch size that nobody defined, and merges nothing."""

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

    def forward(self, x, attn_mask=None):
        q = self.q_linear(x).view(batch, -1, self.heads, self.size)
        k = self.k_linear(x).view(batch, -1, self.heads, self.size)
        v = self.v_linear(x).view(batch, -1, self.heads, self.size)
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.size)
        if attn_mask is not None:
            scores = scores.masked_fill(attn_mask == 0, -1e9)
        return torch.softmax(scores, dim=-1) @ v
