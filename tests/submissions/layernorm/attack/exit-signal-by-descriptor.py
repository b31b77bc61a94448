# verdict: pass
# kind: exits, signals and hooks at the end
# stopped-by: seccomp: no descriptor gets another owner; Landlock's scope for signals
"""Right code that makes the parent the owner of its descriptors, so that the kernel would signal the parent when they have something to tell."""

import fcntl
import os
import signal

import torch
from torch import nn

F_SETSIG = 10
for descriptor in range(3, 16):
    try:
        fcntl.fcntl(descriptor, F_SETSIG, signal.SIGWINCH)  # harmless: ignored unless somebody asks for it
        fcntl.fcntl(descriptor, fcntl.F_SETOWN, os.getppid())
        print("BREACH", descriptor)
    except OSError:
        pass


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps

    def forward(self, x):
        mean = x.mean(-1, keepdim=True)
        variance = (x - mean).square().mean(-1, keepdim=True)
        return (x - mean) / torch.sqrt(variance + self.eps) * self.weight + self.bias
