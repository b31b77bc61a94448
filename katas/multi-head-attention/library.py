"""The same contract, kept by the library operator. It is timed for comparison, in a trusted worker, and never judged."""

import torch
import torch.nn.functional as F
from torch import nn

NAME = "F.multi_head_attention_forward"


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int):
        super().__init__()
        self.num_heads = num_heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def forward(self, query, key, value, attn_mask=None):
        projections = (self.q_proj, self.k_proj, self.v_proj)
        output, _ = F.multi_head_attention_forward(
            *(x.transpose(0, 1) for x in (query, key, value)),  # it wants (L, B, D)
            query.shape[-1],
            self.num_heads,
            in_proj_weight=None,
            in_proj_bias=torch.cat([p.bias for p in projections]),
            bias_k=None,
            bias_v=None,
            add_zero_attn=False,
            dropout_p=0.0,
            out_proj_weight=self.out_proj.weight,
            out_proj_bias=self.out_proj.bias,
            training=False,
            need_weights=False,
            attn_mask=None if attn_mask is None else self._hidden(attn_mask, query, key),
            use_separate_proj_weight=True,
            q_proj_weight=self.q_proj.weight,
            k_proj_weight=self.k_proj.weight,
            v_proj_weight=self.v_proj.weight,
        )
        return output.transpose(0, 1)

    def _hidden(self, attn_mask, query, key):
        """The library's mask is True where a key is hidden, and of shape (B·H, L, S)."""
        full = (query.shape[0], self.num_heads, query.shape[1], key.shape[1])
        return ~attn_mask.expand(full).flatten(0, 1)
