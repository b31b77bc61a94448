# verdict: fail
# mistake: uses-query-length-for-key
# fails: cross-attention
"""The same blog post without its causal mask: key and value are still cut by the query's length."""

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        if width % heads:
            raise ValueError("width must be divisible by heads")
        self.width, self.heads = width, heads
        self.w_q, self.w_k = nn.Linear(width, width), nn.Linear(width, width)
        self.w_v, self.w_o = nn.Linear(width, width), nn.Linear(width, width)

    def forward(self, query, key, value, attn_mask=None):
        batch, steps, _ = query.shape
        shape = (batch, steps, self.heads, self.width // self.heads)
        query = self.w_q(query).view(shape).transpose(1, 2)
        key = self.w_k(key).view(shape).transpose(1, 2)
        value = self.w_v(value).view(shape).transpose(1, 2)
        logits = query @ key.transpose(-2, -1) * shape[-1] ** -0.5
        if attn_mask is not None:
            logits = logits.masked_fill(~attn_mask, float("-inf"))
        return self.w_o((torch.softmax(logits, dim=-1) @ value).transpose(1, 2).flatten(2))
