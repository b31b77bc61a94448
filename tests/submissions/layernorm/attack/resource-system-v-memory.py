# verdict: pass
# kind: memory, disk and output floods
# stopped-by: seccomp: no shared memory, queue or semaphore of System V or POSIX, which no file shows and which outlive the process
"""Right code that leaves a segment of shared memory, a message queue and a semaphore behind (small ones, removed if they came about)."""

import ctypes

import torch
from torch import nn

libc = ctypes.CDLL(None)
for name, arguments in {"shm": (0, 65536, 0o1600), "msg": (0, 0o1600), "sem": (0, 1, 0o1600)}.items():
    number = getattr(libc, f"{name}get")(*arguments)
    if number >= 0:
        print("BREACH", name)
        getattr(libc, f"{name}ctl")(number, 0, 0)  # IPC_RMID


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
