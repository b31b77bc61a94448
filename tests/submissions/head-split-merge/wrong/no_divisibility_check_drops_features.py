# verdict: fail
# mistake: no-divisibility-check
# fails: indivisible-raises-value-error
"""Slices D // H features for each head and silently loses the rest."""

import torch


def split_heads(x, num_heads):
    size = x.shape[-1] // num_heads
    return torch.stack([x[..., h * size : (h + 1) * size] for h in range(num_heads)], dim=1)


def merge_heads(x):
    return torch.cat(x.unbind(1), dim=-1)
