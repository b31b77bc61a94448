# verdict: fail
# kind: memory, disk and output floods
# stopped-by: a result that does not fit is refused before it is written
"""Returns an expanded tensor of a trillion elements that takes no memory at all."""

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps

    def forward(self, x):
        return self.bias[:1].expand(1 << 20, 1 << 20)
