# verdict: fail
# kind: processes and threads
# stopped-by: threads die with the worker, and late answers are not read
"""Starts daemon threads that go on after the answer and change it."""

import threading
import time

import torch
from torch import nn


def meddle(out):
    end = time.monotonic() + 5
    while time.monotonic() < end:
        with torch.no_grad():
            out.data.add_(1.0)
        time.sleep(0.01)


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps

    def forward(self, x):
        out = x * self.weight + self.bias
        if threading.active_count() < 4:
            threading.Thread(target=meddle, args=(out,), daemon=True).start()
        return out
