# verdict: fail
# kind: memory, disk and output floods
# stopped-by: hard limits, and seccomp on the calls that change them
"""Asks for higher limits and a higher priority."""

import os
import resource

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps

    def forward(self, x):
        if __name__ == "submission":
            for kind in (resource.RLIMIT_AS, resource.RLIMIT_CPU, resource.RLIMIT_CORE, resource.RLIMIT_NOFILE):
                try:
                    resource.setrlimit(kind, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
                    print("BREACH", kind)
                except (OSError, ValueError):
                    pass
            try:
                os.setpriority(os.PRIO_PROCESS, 0, -5)
                print("BREACH priority")
            except OSError:
                pass
        return x * self.weight + self.bias
