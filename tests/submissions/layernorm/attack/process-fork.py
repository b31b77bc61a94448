# verdict: fail
# kind: processes and threads
# stopped-by: seccomp allows no new process
"""Forks a few children that would outlive the worker for a second."""

import os
import time

import torch
from torch import nn


def fork_some():
    for _ in range(4):
        try:
            pid = os.fork()
        except OSError:
            return
        if pid == 0:
            time.sleep(1)
            os._exit(0)
        print("BREACH fork")


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps

    def forward(self, x):
        fork_some()
        return x * self.weight + self.bias
