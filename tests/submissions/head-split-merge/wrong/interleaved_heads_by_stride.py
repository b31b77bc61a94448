# verdict: fail
# mistake: interleaved-heads
# fails: split-places-features
"""Takes every H-th feature for a head, with strided slices."""

import torch


def split_heads(x, num_heads):
    if x.shape[-1] % num_heads:
        raise ValueError("the features do not divide evenly")
    return torch.stack([x[..., h::num_heads] for h in range(num_heads)], dim=1)


def merge_heads(x):
    return torch.cat(list(x.unbind(1)), dim=-1)
