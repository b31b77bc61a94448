# verdict: pass
# kind: forged results on inherited descriptors
# stopped-by: the memory is sealed: nobody can change its size; the worker keeps no descriptor of it
"""Shortens the shared memory to one page while it is imported, so that the examiner's next touch would be a SIGBUS."""

import os

import torch
from torch import nn

for _fd in range(3, 64):
    try:
        if os.fstat(_fd).st_size == 512 << 20:
            os.ftruncate(_fd, 4096)
            print("BREACH: shortened")
    except OSError:
        pass


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))

    def forward(self, x):
        centred = x - x.mean(-1, keepdim=True)
        return centred / (centred.pow(2).mean(-1, keepdim=True) + self.eps).sqrt() * self.weight + self.bias
