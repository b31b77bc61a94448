"""Drops weights in eval mode too, so that the same input gives another answer at every call."""

FIX = "make nn.Dropout in __init__, as an attribute or in nn.ModuleList, so that eval() reaches it (or pass self.training)"
KILLED_BY = "repeatable"

import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError(f"cannot split d_model={d_model} into num_heads={num_heads} equal heads")
        self.num_heads = num_heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def forward(self, query, key, value, attn_mask=None):
        B, L, D = query.shape
        S = key.shape[1]
        H = self.num_heads
        d = D // H

        q = self.q_proj(query).view(B, L, H, d).transpose(1, 2)  # (B, H, L, d)
        k = self.k_proj(key).view(B, S, H, d).transpose(1, 2)  # (B, H, S, d)
        v = self.v_proj(value).view(B, S, H, d).transpose(1, 2)  # (B, H, S, d)

        scores = (q / math.sqrt(d)) @ k.mT  # (B, H, L, S)
        if attn_mask is None:
            weights = torch.softmax(scores, dim=-1)  # (B, H, L, S)
        else:
            hidden = ~attn_mask
            weights = torch.softmax(scores.masked_fill(hidden, float("-inf")), dim=-1)  # (B, H, L, S)
            weights = weights.masked_fill(hidden, 0.0)

        weights = nn.functional.dropout(weights, p=0.1)
        heads = weights @ v  # (B, H, L, d)
        concat = heads.transpose(1, 2).reshape(B, L, D)  # (B, L, H, d) -> (B, L, D)
        return self.out_proj(concat)  # (B, L, D)
