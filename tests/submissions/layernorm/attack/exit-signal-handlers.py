# verdict: unusable
# kind: exits, signals and hooks at the end
# stopped-by: SIGKILL from the parent, to the whole process group
"""Ignores every signal that can be ignored, then loops."""

import signal
import time

import torch
from torch import nn


def deafen():
    for number in signal.valid_signals():
        try:
            signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError):
            continue


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps

    def forward(self, x):
        deafen()
        end = time.monotonic() + 30
        while time.monotonic() < end:
            pass
        return x * self.weight + self.bias
