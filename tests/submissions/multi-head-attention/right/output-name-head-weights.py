# verdict: pass
"""Projects head by head: each head has its rows of wq, wk and wv and its columns of output."""

import torch
import torch.nn.functional as F
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("d_model must be divisible by num_heads")
        self.d = d_model // num_heads
        self.wq = nn.Linear(d_model, d_model)
        self.wk = nn.Linear(d_model, d_model)
        self.wv = nn.Linear(d_model, d_model)
        self.output = nn.Linear(d_model, d_model)

    def head(self, rows, query, key, value, mask):
        q, k, v = (
            F.linear(x, w.weight[rows], w.bias[rows]) for w, x in ((self.wq, query), (self.wk, key), (self.wv, value))
        )
        scores = torch.bmm(q, k.transpose(1, 2)) / self.d**0.5
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        return F.linear(torch.bmm(scores.softmax(dim=2), v), self.output.weight[:, rows])

    def forward(self, query, key, value, attn_mask=None):
        B, L, D = query.shape
        H = D // self.d
        masks = [None] * H if attn_mask is None else attn_mask.expand(B, H, L, key.shape[1]).unbind(1)
        heads = (self.head(slice(h * self.d, (h + 1) * self.d), query, key, value, masks[h]) for h in range(H))
        return sum(heads) + self.output.bias
