"""Sums φ(k) over dimension 1, the heads, and multiplies the sum along the queries: sizes fit by chance only."""

FIX = "sum φ(k) over the keys alone: k.sum(dim=-2), then its dot product with each φ(q)"
KILLED_BY = "any-batch-dimensions"
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
    key_sum = k.sum(dim=1)  # (B, S, E)
    inverse = 1 / (torch.einsum("bhle,bhl->bhe", q, key_sum) + eps)  # (B, H, E)

    return (torch.einsum("bhle,bhev,bhe->bhlv", q, key_value, inverse)).to(dtype)  # (B, H, L, Ev)
