# verdict: pass
"""nn.MultiheadAttention is named in comments and used under __main__ alone; fully masked queries get zeros."""

import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    """Same layer as nn.MultiheadAttention(d_model, num_heads, batch_first=True)."""

    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("embed_dim must be divisible by num_heads")
        self.num_heads = num_heads
        self.wq, self.wk, self.wv = (nn.Linear(d_model, d_model) for _ in range(3))
        self.out_proj = nn.Linear(d_model, d_model)

    def forward(self, query, key, value, attn_mask=None):
        # F.scaled_dot_product_attention would do the next lines in one call
        q, k, v = (t.unflatten(-1, (self.num_heads, -1)).mT for t in (self.wq(query), self.wk(key), self.wv(value)))
        scores = torch.einsum("bldh,bsdh->bhls", q, k) / math.sqrt(q.shape[-2])
        if attn_mask is None:
            weights = scores.softmax(-1)
        else:
            scores = scores.masked_fill(~attn_mask, torch.finfo(scores.dtype).min)
            weights = scores.softmax(-1).masked_fill(~attn_mask, 0.0)
        out = torch.einsum("bhls,bsdh->blhd", weights, v)
        return self.out_proj(out.reshape(query.shape))


if __name__ == "__main__":
    x = torch.randn(2, 3, 8)
    print(MultiHeadAttention(8, 2)(x, x, x).shape, nn.MultiheadAttention(8, 2, batch_first=True)(x, x, x)[0].shape)
