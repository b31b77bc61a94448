# verdict: fail
# mistake: unlisted
# fails: keeps-dtype
# dtypes: float64
"""Merges into a tensor from torch.zeros, whose dtype is float32 whatever the input's is."""

import torch


def split_heads(x, num_heads):
    B, T, D = x.shape
    if D % num_heads != 0:
        raise ValueError(f"{D} is not divisible by {num_heads}")
    return x.view(B, T, num_heads, D // num_heads).transpose(1, 2)


def merge_heads(x):
    B, H, T, d = x.shape
    out = torch.zeros(B, T, H * d, device=x.device)
    for h in range(H):
        out[:, :, h * d : (h + 1) * d] = x[:, h]
    return out
