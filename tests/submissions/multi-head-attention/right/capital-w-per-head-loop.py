# verdict: pass
"""W_q, W_k, W_v, W_o; a Python loop takes one slice of features after the other and concatenates the heads."""

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.size, rest = divmod(d_model, num_heads)
        if rest:
            raise ValueError("heads do not fit")
        self.heads = num_heads
        for name in ("W_q", "W_k", "W_v", "W_o"):
            setattr(self, name, nn.Linear(d_model, d_model))

    def forward(self, *inputs):
        query, key, value = inputs[:3]
        mask = inputs[3] if len(inputs) == 4 else None
        B, L, S = query.shape[0], query.shape[1], key.shape[1]
        if mask is not None:
            mask = mask.expand(B, self.heads, L, S)
        q, k, v = self.W_q(query), self.W_k(key), self.W_v(value)
        outs = []
        for h in range(self.heads):
            part = slice(h * self.size, (h + 1) * self.size)
            scores = torch.einsum("bld,bsd->bls", q[..., part], k[..., part]) / self.size**0.5
            if mask is not None:
                scores = torch.where(mask[:, h], scores, -torch.inf)
            outs.append(scores.softmax(-1) @ v[..., part])
        return self.W_o(torch.cat(outs, dim=-1))
