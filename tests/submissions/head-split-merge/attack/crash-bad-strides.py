# verdict: unusable
# kind: crashes of the process
# stopped-by: the worker is a process of its own
"""Lets torch read far outside its storage."""

import resource

resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))

import ctypes

import torch


def split_heads(x, num_heads):
    B, T, D = x.shape
    if D % num_heads:
        raise ValueError("not divisible")
    ctypes.memset(x.data_ptr() + (1 << 46), 0, 1 << 20)
    return torch.zeros(B, num_heads, T, D // num_heads)


def merge_heads(x):
    return split_heads(x, 1)
