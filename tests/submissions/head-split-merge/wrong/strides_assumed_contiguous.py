# verdict: fail
# mistake: unlisted
# fails: non-contiguous-input
"""as_strided with the strides of a contiguous tensor: silently wrong for a transposed or sliced input."""

import torch


def split_heads(x, num_heads):
    B, T, D = x.shape
    if D % num_heads != 0:
        raise ValueError(f"{D} is not divisible by {num_heads}")
    d = D // num_heads
    return torch.as_strided(x, (B, num_heads, T, d), (T * D, d, D, 1))


def merge_heads(x):
    B, H, T, d = x.shape
    return x.transpose(1, 2).reshape(B, T, H * d)
