# verdict: fail
# kind: processes and threads
# stopped-by: seccomp allows no new program
"""Runs the library operator in another Python process."""

import subprocess
import sys

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps

    def forward(self, x):
        for run in (lambda: subprocess.run([sys.executable, "-c", "pass"], timeout=20), lambda: subprocess.getoutput("true")):
            try:
                run()
            except OSError:
                continue
            print("BREACH", run)
        return x * self.weight + self.bias
