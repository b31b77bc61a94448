# verdict: fail
# mistake: merge-order-swapped
# fails: merge-places-features
"""Stacks the heads along a new last axis, which makes their features alternate."""

import torch


def split_heads(x, num_heads):
    width, rest = divmod(x.shape[2], num_heads)
    if rest:
        raise ValueError(f"{x.shape[2]} is no multiple of {num_heads}")
    return torch.stack(x.split(width, dim=2), dim=1)


def merge_heads(x):
    heads = torch.stack(list(x.unbind(1)), dim=-1)  # (B, T, d, H)
    return heads.flatten(2)
