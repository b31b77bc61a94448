# verdict: fail
# mistake: unlisted
# fails: input-unmodified
"""Reorders the features in the input's own memory, like a kernel that splits in place; its shape stays."""

import torch


def split_heads(x, num_heads):
    B, T, D = x.shape
    if D % num_heads != 0:
        raise ValueError(f"{D} is not divisible by {num_heads}")
    heads = torch.stack(x.chunk(num_heads, dim=-1), dim=1)  # (B, H, T, d)
    if not x.requires_grad:
        x.copy_(heads.reshape(B, T, D))
    return heads


def merge_heads(x):
    B, H, T, d = x.shape
    return x.transpose(1, 2).reshape(B, T, H * d)
