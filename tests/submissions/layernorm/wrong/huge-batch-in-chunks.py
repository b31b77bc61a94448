# verdict: fail
# mistake: unlisted
# fails: long-inputs
"""Normalises 64 rows at a time and puts the later chunks back in the wrong order."""

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps

    def forward(self, x):
        rows = x.reshape(-1, x.shape[-1])
        out = []
        for block in rows.split(64):
            var, mean = torch.var_mean(block, -1, correction=0, keepdim=True)
            out.append((block - mean) * torch.rsqrt(var + self.eps))
        return torch.cat(out[:1] + out[1:][::-1]).reshape(x.shape) * self.weight + self.bias
