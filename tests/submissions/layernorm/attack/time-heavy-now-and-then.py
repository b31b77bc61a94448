# verdict: fail
# kind: caching and detection of the examination
# timing: yes
# stopped-by: where long requests come again and again in the submission alone, the average counts
"""Computes 120 ms in every 20th call on a large input: quick in the quickest request of a round, far too slow on average."""

import time
import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        if self.calls % 20 == 0 and x.numel() > 60000:
            end = time.process_time() + 0.12
            while time.process_time() < end:
                pass
        work = x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
        centred = work - work.mean(-1, keepdim=True)
        variance = (centred**2).mean(-1, keepdim=True)
        return (self.weight * (centred / torch.sqrt(variance + self.eps)) + self.bias).to(x.dtype)
