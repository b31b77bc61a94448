# verdict: fail
# mistake: unlisted
# fails: split-gradient
"""Splits in numpy, which cannot take a tensor that needs a gradient."""

import numpy as np
import torch


def split_heads(x, num_heads):
    if x.shape[-1] % num_heads != 0:
        raise ValueError(f"{x.shape[-1]} is not divisible by {num_heads}")
    heads = np.stack(np.split(x.numpy(), num_heads, axis=-1), axis=1)
    return torch.from_numpy(heads)


def merge_heads(x):
    B, H, T, d = x.shape
    return x.transpose(1, 2).reshape(B, T, H * d)
