"""Takes relu (a clamp at 0) as the feature map, which throws away everything below zero; asked for is elu(x) + 1."""

FIX = "use F.elu(x) + 1, which is positive everywhere"
KILLED_BY = "matches-formula"
VARIANT_OF = "relu-feature-map"

import torch


def feature_map(x):
    return x.clamp(min=0)


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
