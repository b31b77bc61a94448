"""Inverts Σφ(k) feature by feature before the dot product with φ(q), but 1/a + 1/b is not 1/(a + b)."""

FIX = "take the dot product first and divide by it: numerator / (q @ key_sum + eps)"
KILLED_BY = "matches-formula"
VARIANT_OF = "normaliser-not-inverted"

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
    key_sum = k.sum(dim=-2)  # (..., E)
    numerator = q @ key_value  # (..., L, Ev)
    inverse = q @ (1 / (key_sum + eps)).unsqueeze(-1)  # (..., L, 1)

    return (numerator * inverse).to(dtype)  # (..., L, Ev)
