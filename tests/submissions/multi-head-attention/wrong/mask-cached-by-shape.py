# verdict: fail
# mistake: unlisted
# fails: mask-selects-keys
"""Keeps one additive mask for each shape on the class: a second mask of that shape is never read."""

import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    biases = {}

    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("d_model must be divisible by num_heads")
        self.num_heads, self.head_dim = num_heads, d_model // num_heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split(self, x):
        B, T, _ = x.shape
        return x.view(B, T, self.num_heads, self.head_dim).transpose(1, 2)  # (B, H, T, d)

    def forward(self, query, key, value, attn_mask=None):
        q = self.split(self.q_proj(query))
        k = self.split(self.k_proj(key))
        v = self.split(self.v_proj(value))
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.head_dim)  # (B, H, L, S)
        if attn_mask is not None:
            if attn_mask.shape not in self.biases:
                self.biases[attn_mask.shape] = torch.where(attn_mask, 0.0, float("-inf"))
            scores = scores + self.biases[attn_mask.shape]
        weights = torch.softmax(scores, dim=-1)
        out = (weights @ v).transpose(1, 2).flatten(2)
        return self.out_proj(out)
