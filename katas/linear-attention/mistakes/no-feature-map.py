"""Applies no feature map, so that weights can be negative and the normaliser can be zero."""

FIX = "map query and key with φ(x) = F.elu(x) + 1 before anything else"
KILLED_BY = "matches-formula"

import torch


def linear_attention(query, key, value, eps=1e-6):
    dtype = query.dtype
    if dtype in (torch.float16, torch.bfloat16):
        query, key, value = query.float(), key.float(), value.float()  # float16 ends at 65504, the sums below do not

    q = query  # (..., L, E)
    k = key  # (..., S, E)
    key_value = k.mT @ value  # (..., E, Ev)
    key_sum = k.sum(dim=-2)  # (..., E)
    numerator = q @ key_value  # (..., L, Ev)
    denominator = q @ key_sum.unsqueeze(-1) + eps  # (..., L, 1)

    return (numerator / denominator).to(dtype)  # (..., L, Ev)
