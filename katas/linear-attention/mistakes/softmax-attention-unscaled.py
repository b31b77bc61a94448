"""Computes softmax attention (without 1/√E), and so another answer and an L×S matrix; asked for is φ(q)·φ(k)."""

FIX = "compute φ(Q)(φ(K)ᵀV) / (φ(Q)·Σφ(K) + eps) with φ(x) = elu(x) + 1; no softmax, no L×S matrix"
KILLED_BY = "matches-formula"
VARIANT_OF = "softmax-attention"

import torch


def linear_attention(query, key, value, eps=1e-6):
    dtype = query.dtype
    if dtype in (torch.float16, torch.bfloat16):
        query, key, value = query.float(), key.float(), value.float()  # float16 ends at 65504, the sums below do not

    weights = torch.softmax(query @ key.mT, dim=-1)  # (..., L, S)

    return (weights @ value).to(dtype)  # (..., L, Ev)
