"""Divides each output by the sum of its own features instead of the dot product of φ(q) with Σφ(k)."""

FIX = "sum φ(k) over the keys alone: k.sum(dim=-2), then its dot product with each φ(q)"
KILLED_BY = "matches-formula"
VARIANT_OF = "normaliser-wrong-axis"

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
    key_value = k.mT @ value  # (..., E, Ev)
    numerator = q @ key_value  # (..., L, Ev)
    denominator = numerator.sum(dim=-1, keepdim=True) + eps  # (..., L, 1)

    return (numerator / denominator).to(dtype)  # (..., L, Ev)
