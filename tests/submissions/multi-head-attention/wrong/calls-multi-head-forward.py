# verdict: fail
# mistake: unlisted
# fails: no-forbidden-operator
"""Hands its own four linears to F.multi_head_attention_forward."""

import torch
import torch.nn.functional as F
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("d_model must be divisible by num_heads")
        self.d_model, self.num_heads = d_model, num_heads
        self.w_q, self.w_k = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)
        self.w_v, self.w_o = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)

    def forward(self, query, key, value, attn_mask=None):
        B, L, S = query.shape[0], query.shape[1], key.shape[1]
        if attn_mask is not None:
            attn_mask = ~attn_mask.expand(B, self.num_heads, L, S).reshape(-1, L, S)
        bias = torch.cat([self.w_q.bias, self.w_k.bias, self.w_v.bias])
        out, _ = F.multi_head_attention_forward(
            *(x.transpose(0, 1) for x in (query, key, value)),
            self.d_model,
            self.num_heads,
            None,
            bias,
            None,
            None,
            False,
            0.0,
            self.w_o.weight,
            self.w_o.bias,
            training=False,
            need_weights=False,
            attn_mask=attn_mask,
            use_separate_proj_weight=True,
            q_proj_weight=self.w_q.weight,
            k_proj_weight=self.w_k.weight,
            v_proj_weight=self.w_v.weight,
        )
        return out.transpose(0, 1)
