# verdict: fail
# mistake: unlisted
# fails: no-forbidden-operator
"""Pours its parameters into an nn.MultiheadAttention at each call."""

import torch
from torch import nn
from torch.func import functional_call


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("d_model must be divisible by num_heads")
        self.num_heads = num_heads
        self.qkv = nn.Linear(d_model, 3 * d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def forward(self, query, key, value, attn_mask=None):
        D, H = query.shape[-1], self.num_heads
        inner = nn.MultiheadAttention(D, H, batch_first=True, device=query.device, dtype=query.dtype)
        parameters = {"in_proj_weight": self.qkv.weight, "in_proj_bias": self.qkv.bias}
        parameters |= {f"out_proj.{name}": p for name, p in self.out_proj.named_parameters()}
        options = {"need_weights": False}
        if attn_mask is not None:
            L, S = query.shape[1], key.shape[1]
            options["attn_mask"] = torch.logical_not(attn_mask).expand(len(query), H, L, S).flatten(0, 1)
        return functional_call(inner, parameters, (query, key, value), options)[0]
