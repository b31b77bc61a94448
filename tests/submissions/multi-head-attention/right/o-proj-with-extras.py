# verdict: pass
"""q_proj and o_proj, beside unused parameters, a causal buffer for another mode, and an initialisation of its own."""

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, max_len=64, causal=False):
        super().__init__()
        if num_heads < 1 or d_model % num_heads:
            raise ValueError(f"cannot cut {d_model} features into {num_heads} heads")
        self.num_heads, self.causal = num_heads, causal
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.o_proj = nn.Linear(d_model, d_model)
        self.norm = nn.LayerNorm(d_model)  # for a pre-norm block, not used here
        self.relative_bias = nn.Parameter(torch.zeros(num_heads, max_len))
        self.register_buffer("tril", torch.ones(max_len, max_len, dtype=torch.bool).tril())
        for linear in (self.q_proj, self.k_proj, self.v_proj, self.o_proj):
            nn.init.xavier_uniform_(linear.weight)
            nn.init.zeros_(linear.bias)

    def heads(self, x):
        return torch.stack(x.chunk(self.num_heads, dim=-1), dim=1)

    def forward(self, query, key, value, attn_mask=None):
        q, k, v = self.heads(self.q_proj(query)), self.heads(self.k_proj(key)), self.heads(self.v_proj(value))
        scores = q @ k.mT / q.shape[-1] ** 0.5
        if self.causal:
            scores = scores.masked_fill(~self.tril[: q.shape[2], : k.shape[2]], -1e9)
        if attn_mask is not None:
            scores = scores.masked_fill(~attn_mask, -1e9)
        out = scores.softmax(-1) @ v
        return self.o_proj(torch.cat(out.unbind(dim=1), dim=-1))
