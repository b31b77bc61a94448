# verdict: fail
# mistake: unlisted
# fails: shared-input
"""Writes the result of self-attention over its input where no gradient is wanted, to save memory."""

import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("no")
        self.H = num_heads
        self.q_proj, self.k_proj, self.v_proj, self.out_proj = (nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, query, key, value, attn_mask=None):
        q, k, v = (
            p(x).unflatten(-1, (self.H, -1)).transpose(1, 2)
            for p, x in ((self.q_proj, query), (self.k_proj, key), (self.v_proj, value))
        )
        s = q @ k.mT / math.sqrt(q.shape[-1])
        if attn_mask is not None:
            s = s.masked_fill(~attn_mask, float("-inf"))
        out = self.out_proj((s.softmax(-1) @ v).transpose(1, 2).flatten(2))
        if query is key and not query.requires_grad:
            return query.data.copy_(out.detach()) if not torch.is_grad_enabled() else out
        return out
