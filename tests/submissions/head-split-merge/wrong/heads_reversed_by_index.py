# verdict: fail
# mistake: heads-reversed
# fails: split-places-features
"""Fills the heads from a loop that counts down."""

import torch


def split_heads(x, num_heads):
    B, T, D = x.shape
    if D % num_heads != 0:
        raise ValueError("features do not divide")
    d = D // num_heads
    order = range(num_heads - 1, -1, -1)
    return torch.cat([x[:, None, :, h * d : (h + 1) * d] for h in order], dim=1)


def merge_heads(x):
    return torch.cat(list(x.unbind(dim=1)), dim=-1)
