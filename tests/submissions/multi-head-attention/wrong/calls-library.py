# verdict: fail
# mistake: unlisted
# fails: no-forbidden-operator
"""Splits and merges by hand and leaves the attention to the library."""

import torch.nn.functional as F
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("d_model must be divisible by num_heads")
        self.num_heads = num_heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def forward(self, query, key, value, attn_mask=None):
        pairs = ((self.q_proj, query), (self.k_proj, key), (self.v_proj, value))
        q, k, v = (f(x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2) for f, x in pairs)
        out = F.scaled_dot_product_attention(q, k, v, attn_mask=attn_mask)
        return self.out_proj(out.transpose(1, 2).flatten(2))
