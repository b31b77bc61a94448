"""Takes eps as an argument but computes with a fixed number, so that another eps changes nothing."""

FIX = "add the argument: q @ key_sum + eps"
KILLED_BY = "eps-keeps-its-place"
VARIANTS = [{"EPS": 1e-8}, {"EPS": 1e-5}, {"EPS": 1e-12}]

import torch
import torch.nn.functional as F

EPS = 1e-6


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
    denominator = q @ key_sum.unsqueeze(-1) + EPS  # (..., L, 1)

    return (numerator / denominator).to(dtype)  # (..., L, Ev)
