# verdict: fail
# kind: patched torch, time, builtins, autograd
# timing: yes
# stopped-by: the parent reads the worker's processor clock from outside
"""Stops every clock of the process and every timer of torch, and takes many times as long as need be."""

import gc
import time

import torch
import torch.utils.benchmark
from torch import nn


def never(*_):
    return 0


for name in dir(time):
    if name.endswith(("time", "counter", "monotonic", "_ns")) or name.startswith("clock_"):
        setattr(time, name, never)


class Timer:
    def __init__(self, *_, **__):
        pass

    timeit = blocked_autorange = adaptive_autorange = never


torch.utils.benchmark.Timer = Timer


def quick(x, weight, bias, eps):
    work = x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
    centred = work - work.mean(-1, keepdim=True)
    variance = (centred * centred).mean(-1, keepdim=True)
    return (weight * (centred / torch.sqrt(variance + eps)) + bias).to(x.dtype)


def slow(x, weight, bias, eps):
    for _ in range(24):
        answer = quick(x, weight, bias, eps)
    return answer


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps

    def forward(self, x):
        return slow(x, self.weight, self.bias, self.eps)
