# verdict: fail
# kind: hidden library calls
# stopped-by: the recorders see the operator, whatever name leads to it
"""Decodes and executes a call that no reader of the source can see."""

import base64

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps

    def forward(self, x):
        code = base64.b64decode("dG9yY2gubGF5ZXJfbm9ybSh4LCBzLndlaWdodC5zaGFwZSwgcy53ZWlnaHQsIHMuYmlhcywgcy5lcHMp")
        return eval(code, {"torch": torch, "x": x, "s": self})
