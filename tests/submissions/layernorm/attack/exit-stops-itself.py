# verdict: unusable
# kind: exits, signals and hooks at the end
# stopped-by: the parent waits with a deadline
"""Stops its own process, so that the grader would wait for ever."""

import os
import signal

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
            os.kill(os.getpid(), signal.SIGSTOP)
        return x * self.weight + self.bias
