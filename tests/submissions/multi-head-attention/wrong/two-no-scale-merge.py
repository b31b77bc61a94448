# verdict: fail
# mistake: two: missing-scale + merge-without-transpose
# fails: matches-formula
"""No division by the root, and a reshape where the heads should first go back beside their features."""

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
        q, k, v = (
            f(x).unflatten(-1, (self.h, self.d)).movedim(2, 1)
            for f, x in ((self.wq, query), (self.wk, key), (self.wv, value))
        )
        scores = torch.einsum("bhld,bhsd->bhls", q, k)
        if attn_mask is not None:
            scores = scores.masked_fill(~attn_mask, -1e9)
        return self.wo((scores.softmax(-1) @ v).contiguous().view(query.shape))
