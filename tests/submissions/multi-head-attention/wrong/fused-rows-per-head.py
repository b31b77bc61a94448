# verdict: fail
# mistake: unlisted
# fails: matches-formula
"""Reads the fused rows head by head as (H, 3, d); the contract's order is all of q, all of k, all of v."""

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("d_model must be divisible by num_heads")
        self.num_heads = num_heads
        self.qkv = nn.Linear(d_model, 3 * d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def forward(self, query, key, value, attn_mask=None):
        fused = (self.qkv(x).unflatten(-1, (self.num_heads, 3, -1)) for x in (query, key, value))
        q, k, v = (x[:, :, :, i].transpose(1, 2) for i, x in enumerate(fused))
        scores = q @ k.mT / q.shape[-1] ** 0.5
        if attn_mask is not None:
            scores = scores.masked_fill(~attn_mask, float("-inf"))
        return self.out_proj((torch.softmax(scores, dim=-1) @ v).transpose(1, 2).flatten(2))
