# verdict: fail
# kind: hidden library calls
# stopped-by: the recorders see the operator, whatever name leads to it
"""Calls the operator in the hooks of saved tensors, during the backward pass."""

import torch.nn.functional as F

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps

    def forward(self, x):
        def unpack(t):
            F.layer_norm(t, t.shape[-1:]) if t.dim() else None
            return t

        with torch.autograd.graph.saved_tensors_hooks(lambda t: t, unpack):
            centred = x - x.mean(-1, keepdim=True)
            return centred / torch.sqrt((centred * centred).mean(-1, keepdim=True) + self.eps) * self.weight + self.bias
