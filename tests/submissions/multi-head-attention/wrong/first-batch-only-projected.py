# verdict: fail
# mistake: first-batch-only
# fails: batch-elements-are-independent
"""Projects key and value of element 0 once and expands them, to save work in a demo with equal memories."""

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("num_heads must divide d_model")
        self.h, self.d = num_heads, d_model // num_heads
        self.wq, self.wk, self.wv, self.wo = (nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, query, key, value, attn_mask=None):
        B, L, D = query.shape
        q = self.wq(query).view(B, L, self.h, self.d).transpose(1, 2)
        k = self.wk(key[0]).view(-1, self.h, self.d).transpose(0, 1).expand(B, -1, -1, -1)
        v = self.wv(value[0]).view(-1, self.h, self.d).transpose(0, 1).expand(B, -1, -1, -1)
        scores = q @ k.transpose(-2, -1) / self.d**0.5
        if attn_mask is not None:
            scores = scores.masked_fill(~attn_mask, -1e9)
        heads = torch.softmax(scores, dim=-1) @ v
        return self.wo(heads.transpose(1, 2).reshape(B, L, D))
