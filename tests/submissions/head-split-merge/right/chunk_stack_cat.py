# verdict: pass
"""Cuts the features into chunks and stacks them; puts them together again with cat."""

import torch


def split_heads(x, num_heads):
    _, remainder = divmod(x.shape[2], num_heads)
    if remainder:
        raise ValueError(f"{remainder} features are left over")
    return torch.stack(torch.chunk(x, num_heads, dim=2), dim=1)


def merge_heads(x):
    return torch.cat(x.unbind(dim=1), dim=-1)
