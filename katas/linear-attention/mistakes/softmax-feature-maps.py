"""Takes softmax over the query's features and over the key's positions as feature maps, in place of elu(x) + 1."""

FIX = "map query and key elementwise with F.elu(x) + 1, and divide by φ(q)·Σφ(k) + eps"
KILLED_BY = "matches-formula"

import torch


def linear_attention(query, key, value, eps=1e-6):
    dtype = query.dtype
    if dtype in (torch.float16, torch.bfloat16):
        query, key, value = query.float(), key.float(), value.float()  # float16 ends at 65504, the sums below do not

    q = torch.softmax(query, dim=-1)  # (..., L, E)
    k = torch.softmax(key, dim=-2)  # (..., S, E)
    key_value = k.mT @ value  # (..., E, Ev)

    return (q @ key_value).to(dtype)  # (..., L, Ev)
