# verdict: fail
# mistake: unlisted
# fails: repeatable
"""Caches merged tensors by identity: a tensor that was changed in place meets its old answer."""

import functools


def split_heads(x, num_heads):
    if x.shape[-1] % num_heads:
        raise ValueError("no")
    return x.unflatten(-1, (num_heads, -1)).transpose(1, 2)


@functools.lru_cache(maxsize=4)
def merge_heads(x):
    return x.transpose(1, 2).flatten(2)
