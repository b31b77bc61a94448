"""Divides by the number of keys instead of φ(q)·Σφ(k), so that the weights of a query do not sum to one."""

FIX = "divide the numerator by q @ key_sum + eps, one number for each query"
KILLED_BY = "matches-formula"
VARIANT_OF = "no-normaliser"
VARIANTS = [{"ADDED": 0.0}]

import torch
import torch.nn.functional as F

ADDED = 1.0


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
    denominator = key.shape[-2] + ADDED * eps  # a number

    return (numerator / denominator).to(dtype)  # (..., L, Ev)
