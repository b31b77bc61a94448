# verdict: fail
# kind: hidden library calls
# stopped-by: the dispatcher's alarm, in calls that the profiler does not watch
"""Calls the operator with both kinds of mode switched off."""

import torch.nn.functional as F
from torch.utils._python_dispatch import _disable_current_modes

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps

    def forward(self, x):
        with torch._C.DisableTorchFunction(), _disable_current_modes():
            return F.layer_norm(x, self.weight.shape, self.weight, self.bias, self.eps)
