# verdict: fail
# mistake: unlisted
# fails: split-places-features
# dtypes: float64
"""Copies through a float32 staging tensor and casts back: float64 loses half of its digits on the way."""

import torch


def split_heads(x, num_heads):
    B, T, D = x.shape
    if D % num_heads != 0:
        raise ValueError(f"{D} features do not divide into {num_heads} heads")
    heads = torch.empty(B, num_heads, T, D // num_heads, device=x.device)
    heads = heads.copy_(x.view(B, T, num_heads, D // num_heads).transpose(1, 2))
    return heads.to(x.dtype)


def merge_heads(x):
    B, H, T, d = x.shape
    return x.transpose(1, 2).reshape(B, T, H * d)
