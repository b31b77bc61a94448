# verdict: fail
# kind: odd entry symbols
# stopped-by: a binding is looked up once; every call goes to the same object
"""Rebinds its names to other functions while it is called."""

import sys


def split_heads(x, num_heads):
    module = sys.modules[__name__]
    module.split_heads = module.merge_heads = lambda *args: x
    B, T, D = x.shape
    if D % num_heads:
        raise ValueError("not divisible")
    return x.view(B, T, num_heads, D // num_heads)


def merge_heads(x):
    return x.flatten(2)
