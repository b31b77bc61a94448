# verdict: fail
# kind: loops and sleeps
# timing: yes
# stopped-by: sleep in a call that is not timed is charged too, and few rounds decide where all of them say the same
"""Twice as slow as is let pass; sleeps where its worker takes over from the other one, so that time runs out undecided."""

import time
import torch
from torch import nn

N, STALL = 12, 0.7
last, calls = [0.0], [0]
mean = torch.Tensor.mean


def pause(x):
    if x.numel() > 60000 and not torch.is_grad_enabled():
        calls[0] += 1
        if calls[0] > 120 and time.perf_counter() - last[0] > 0.004:
            time.sleep(STALL)
        last[0] = time.perf_counter()


def patched(self, *args, **kwargs):  # the control calls it
    pause(self)
    return mean(self, *args, **kwargs)


torch.Tensor.mean = patched


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps

    def forward(self, x):
        pause(x)
        total, n = 0.0, 1 if torch.is_grad_enabled() else N
        for _ in range(n):
            work = x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
            centred = work - mean(work, -1, keepdim=True)
            variance = mean(centred**2, -1, keepdim=True)
            total = total + (self.weight * (centred / torch.sqrt(variance + self.eps)) + self.bias)
        if x.numel() > 60000:
            last[0] = time.perf_counter()
        return (total / n).to(x.dtype)
