"""Hides the later keys in an L×S matrix; this attention is not causal, and it needs no such matrix."""

FIX = "sum over all keys at once: k.mT @ value and k.sum(dim=-2)"
KILLED_BY = "matches-formula"
VARIANT_OF = "causal-version"

import torch
import torch.nn.functional as F


def feature_map(x):
    return F.elu(x) + 1


def linear_attention(query, key, value, eps=1e-6):
    dtype = query.dtype
    if dtype in (torch.float16, torch.bfloat16):
        query, key, value = query.float(), key.float(), value.float()  # float16 ends at 65504, the sums below do not

    q = feature_map(query)  # (..., L, E)
    k = feature_map(key)  # (..., S, E)
    weights = (q @ k.mT).tril()  # (..., L, S)
    numerator = weights @ value  # (..., L, Ev)
    denominator = weights.sum(dim=-1, keepdim=True) + eps  # (..., L, 1)

    return (numerator / denominator).to(dtype)  # (..., L, Ev)
