# verdict: pass
"""The entry symbol is an nn.Module instance with dropout, which does nothing in eval mode."""

import math

import torch
from torch import nn


class ScaledDotProductAttention(nn.Module):
    def __init__(self, dropout=0.1):
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.softmax = nn.Softmax(dim=-1)

    def forward(self, query, key, value, attn_mask=None):
        attn = torch.matmul(query / math.sqrt(query.size(-1)), key.transpose(-2, -1))
        if attn_mask is not None:
            attn = attn.masked_fill(~attn_mask, -1e9)
        return torch.matmul(self.dropout(self.softmax(attn)), value)


scaled_dot_product_attention = ScaledDotProductAttention()
