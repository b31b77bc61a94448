"""Divides φ(query) by √E; that cancels in the fraction, but beside it eps counts more."""

FIX = "leave the features as they are: linear attention has no 1/√E"
KILLED_BY = "eps-keeps-its-place"
VARIANT_OF = "scaled"

import math

import torch
import torch.nn.functional as F


def feature_map(x):
    return F.elu(x) + 1


def linear_attention(query, key, value, eps=1e-6):
    dtype = query.dtype
    if dtype in (torch.float16, torch.bfloat16):
        query, key, value = query.float(), key.float(), value.float()  # float16 ends at 65504, the sums below do not

    q = feature_map(query) / math.sqrt(query.shape[-1])  # (..., L, E)
    k = feature_map(key)  # (..., S, E)
    key_value = k.mT @ value  # (..., E, Ev)
    key_sum = k.sum(dim=-2)  # (..., E)
    numerator = q @ key_value  # (..., L, Ev)
    denominator = q @ key_sum.unsqueeze(-1) + eps  # (..., L, 1)

    return (numerator / denominator).to(dtype)  # (..., L, Ev)
