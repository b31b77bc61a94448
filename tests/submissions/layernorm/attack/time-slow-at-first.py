# verdict: pass
# kind: caching and detection of the examination
# timing: yes
# stopped-by: nothing to stop: code that compiles in its first calls is quick code
"""Takes many times as long in its first calls on large inputs, and is quick from then on."""

import torch
from torch import nn

calls = []


def quick(x, weight, bias, eps):
    work = x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
    centred = work - work.mean(-1, keepdim=True)
    variance = (centred * centred).mean(-1, keepdim=True)
    return (weight * (centred / torch.sqrt(variance + eps)) + bias).to(x.dtype)


def slow(x, weight, bias, eps):
    for _ in range(24):
        answer = quick(x, weight, bias, eps)
    return answer


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps

    def forward(self, x):
        if x.numel() >= 30000:
            calls.append(1)
        return slow(x, self.weight, self.bias, self.eps) if len(calls) <= 3 else quick(x, self.weight, self.bias, self.eps)
