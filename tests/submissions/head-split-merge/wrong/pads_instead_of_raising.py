# verdict: fail
# mistake: no-divisibility-check
# fails: indivisible-raises-value-error
"""Pads the features with zeros until they divide."""

import torch.nn.functional as F


def split_heads(x, num_heads):
    x = F.pad(x, (0, -x.shape[-1] % num_heads))
    B, T, D = x.shape
    return x.view(B, T, num_heads, D // num_heads).transpose(1, 2)


def merge_heads(x):
    B, H, T, d = x.shape
    return x.transpose(1, 2).reshape(B, T, H * d)
