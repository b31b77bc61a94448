# verdict: fail
# mistake: unlisted
# fails: matches-formula
"""Wraps nn.MultiheadAttention: forbidden, and its parameters bear none of the accepted names."""

from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("d_model must be divisible by num_heads")
        self.num_heads = num_heads
        self.attention = nn.MultiheadAttention(d_model, num_heads, batch_first=True)

    def forward(self, query, key, value, attn_mask=None):
        if attn_mask is not None:
            shape = (query.size(0), self.num_heads, query.size(1), key.size(1))
            attn_mask = ~attn_mask.expand(shape).flatten(0, 1)
        return self.attention(query, key, value, attn_mask=attn_mask)[0]
