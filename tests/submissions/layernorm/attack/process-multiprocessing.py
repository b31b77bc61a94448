# verdict: fail
# kind: processes and threads
# stopped-by: seccomp allows no new process and no socket
"""Delegates to a pool of processes."""

import multiprocessing

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps

    def forward(self, x):
        process = multiprocessing.get_context("fork").Process(target=print, args=("BREACH",))
        process.start()
        process.join(5)
        return x * self.weight + self.bias
