# verdict: fail
# mistake: two: heads-reversed + no-divisibility-check
# fails: split-places-features, indivisible-raises-value-error
"""Counts the heads from the end and trusts the caller with the division."""

import torch


def split_heads(x, num_heads):
    d = x.shape[-1] // num_heads
    heads = [x[..., h * d : (h + 1) * d] for h in reversed(range(num_heads))]
    return torch.stack(heads, dim=1)


def merge_heads(x):
    return x.permute(0, 2, 1, 3).flatten(2)
