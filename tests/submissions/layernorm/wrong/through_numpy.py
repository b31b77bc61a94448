# verdict: fail
# mistake: unlisted
# fails: input-gradient
"""Normalises in numpy: the values are right, the gradient to the input is gone."""

import numpy as np
import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps

    def forward(self, x):
        a = x.detach().cpu().numpy()
        normed = (a - a.mean(-1, keepdims=True)) / np.sqrt(a.var(-1, keepdims=True) + self.eps)
        return torch.from_numpy(normed).to(x) * self.weight + self.bias
