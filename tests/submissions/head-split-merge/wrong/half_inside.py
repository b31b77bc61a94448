# verdict: fail
# mistake: unlisted
# fails: merge-places-features
"""Copies through a float16 staging tensor: the right places, three digits of the values."""

import torch


def split_heads(x, num_heads):
    B, T, D = x.shape
    if D % num_heads != 0:
        raise ValueError(f"{D} is not divisible by {num_heads}")
    return x.view(B, T, num_heads, D // num_heads).transpose(1, 2)


def merge_heads(x):
    B, H, T, d = x.shape
    staging = torch.empty(B, T, H, d, dtype=torch.float16, device=x.device)
    staging.copy_(x.transpose(1, 2))
    return staging.flatten(2).to(x.dtype)
