# verdict: fail
# mistake: always-causal
# fails: not-causal-unless-asked
"""After a blog post: a causal mask is part of forward, and the length is read from the query alone."""

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
        self.normalise = nn.Softmax(dim=-1)

    def forward(self, query, key, value, attn_mask=None):
        batch, steps, _ = query.shape
        size = self.width // self.heads
        query = self.w_q(query).view(batch, steps, self.heads, size).transpose(1, 2)
        key = self.w_k(key).view(batch, steps, self.heads, size).transpose(1, 2)
        value = self.w_v(value).view(batch, steps, self.heads, size).transpose(1, 2)
        logits = query @ key.transpose(-2, -1) * size**-0.5
        past = torch.ones(steps, steps, dtype=torch.bool, device=logits.device).tril()
        weights = self.normalise(logits.masked_fill(~past, -1e9))
        return self.w_o((weights @ value).transpose(1, 2).reshape(batch, steps, self.width))
