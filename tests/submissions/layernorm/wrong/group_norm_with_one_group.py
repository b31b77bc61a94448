# verdict: fail
# mistake: unlisted
# fails: no-forbidden-operator
"""Uses a sibling: GroupNorm with a single group over flattened rows is LayerNorm."""

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps

    def forward(self, x):
        rows = x.reshape(-1, x.shape[-1], 1)
        return torch.group_norm(rows, 1, self.weight, self.bias, self.eps).reshape(x.shape)
