# verdict: fail
# kind: fake equality and tensor subclasses
# stopped-by: comparison in the parent, on bytes; subclasses are no answers
"""Returns zeros as a tensor subclass that answers True to every comparison."""

import torch
from torch import nn


class Liar(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if func.__name__ in ("allclose", "equal", "isclose", "eq", "isfinite", "all"):
            return True
        return super().__torch_function__(func, types, args, kwargs or {})


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps

    def forward(self, x):
        return (x * 0 * self.weight).as_subclass(Liar)
