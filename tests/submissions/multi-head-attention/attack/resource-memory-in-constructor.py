# verdict: fail
# kind: memory, disk and output floods
# stopped-by: the limit on address space
"""Reserves memory by the gigabyte in its constructor."""

import mmap

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.hold = [mmap.mmap(-1, 2 << 30) for _ in range(8)]
        self.q_proj, self.k_proj = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)
        self.v_proj, self.out_proj = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)

    def forward(self, query, key, value, attn_mask=None):
        return torch.zeros_like(query)
