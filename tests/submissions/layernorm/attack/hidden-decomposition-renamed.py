# verdict: fail
# kind: hidden library calls
# stopped-by: nothing (a known gap): a copied decomposition is code by hand as far as anyone can tell
"""Copies the code object of the operator's decomposition under another file name and calls the copy."""

import types

import torch._refs

import torch
from torch import nn

names = dict(torch._refs.__dict__)


def copied(function):
    function = getattr(function, "__wrapped__", function)
    code = function.__code__.replace(co_filename="mine.py", co_name="mine", co_qualname="mine")
    return types.FunctionType(code, names, "mine", function.__defaults__, function.__closure__)


names["_normalize"] = copied(torch._refs._normalize)


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps

    def forward(self, x):
        normed = names["_normalize"](x, [x.dim() - 1], self.eps)[0]
        return normed * self.weight + self.bias
