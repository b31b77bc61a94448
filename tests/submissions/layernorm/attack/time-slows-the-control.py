# verdict: fail
# kind: patched torch, time, builtins, autograd
# timing: yes
# stopped-by: the control must be as quick as the trusted copy in the other worker
"""Makes the mean slow for everybody, and does without it itself: only the copy of the reference in this process suffers."""

import torch
from torch import nn


mean = torch.Tensor.mean


def slow_mean(self, *args, **kwargs):
    for _ in range(20):
        answer = mean(self, *args, **kwargs)
    return answer


torch.Tensor.mean = slow_mean


def sixteen(x, weight, bias, eps):
    """Sixteen times the work that is needed."""
    for _ in range(16):
        work = x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
        centred = work - work.sum(-1, keepdim=True) / work.shape[-1]
        variance = (centred * centred).sum(-1, keepdim=True) / work.shape[-1]
        answer = (weight * (centred / torch.sqrt(variance + eps)) + bias).to(x.dtype)
    return answer


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps

    def forward(self, x):
        return sixteen(x, self.weight, self.bias, self.eps)
