"""Takes relu(x) + 1 (a clamp at 0) as the feature map, which is flat below zero, where elu(x) + 1 is exp(x)."""

FIX = "use F.elu(x) + 1"
KILLED_BY = "matches-formula"
VARIANT_OF = "relu-plus-one"

import torch


def feature_map(x):
    return x.clamp(min=0) + 1


def linear_attention(query, key, value, eps=1e-6):
    dtype = query.dtype
    if dtype in (torch.float16, torch.bfloat16):
        query, key, value = query.float(), key.float(), value.float()  # float16 ends at 65504, the sums below do not

    q = feature_map(query)  # (..., L, E)
    k = feature_map(key)  # (..., S, E)
    key_value = k.mT @ value  # (..., E, Ev)
    key_sum = k.sum(dim=-2)  # (..., E)
    numerator = q @ key_value  # (..., L, Ev)
    denominator = q @ key_sum.unsqueeze(-1) + eps  # (..., L, 1)

    return (numerator / denominator).to(dtype)  # (..., L, Ev)
