# verdict: fail
# kind: processes and threads
# stopped-by: seccomp allows no new process and no new session
"""Tries to leave a daemon behind in a session of its own."""

import os
import time

import torch
from torch import nn


def daemonise():
    try:
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                time.sleep(2)
            os._exit(0)
        print("BREACH fork")
    except OSError:
        pass


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps

    def forward(self, x):
        if __name__ == 'submission':
            daemonise()
        return x * self.weight + self.bias
