# verdict: fail
# mistake: two: interleaved-heads + merge-without-transpose
# fails: split-places-features, merge-places-features
"""Strided slices on the way in, a bare reshape on the way out."""

import torch


def split_heads(x, num_heads):
    if x.shape[-1] % num_heads:
        raise ValueError("does not divide")
    return torch.stack([x[..., h::num_heads] for h in range(num_heads)], dim=1)


def merge_heads(x):
    batch, heads, positions, width = x.shape
    return x.reshape(batch, positions, heads * width)
