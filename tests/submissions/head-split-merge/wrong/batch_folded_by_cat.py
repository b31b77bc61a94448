# verdict: fail
# mistake: batch-folded
# fails: split-places-features
"""Moves the heads into the batch with chunk and cat, and merges them back from four dimensions."""

import torch


def split_heads(x, num_heads):
    if x.size(-1) % num_heads > 0:
        raise ValueError("cannot split")
    B, T, D = x.shape
    return x.view(B, T, num_heads, D // num_heads).permute(0, 2, 1, 3).flatten(0, 1)


def merge_heads(x):
    return x.permute(0, 2, 1, 3).flatten(start_dim=2)
