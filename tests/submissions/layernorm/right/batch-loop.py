# verdict: pass
# timing: too-slow
"""One sequence of the batch after the other, each vectorised."""

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps

    def one(self, x):
        w = x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
        c = w - w.mean(-1, keepdim=True)
        return (self.weight * c / torch.sqrt((c * c).mean(-1, keepdim=True) + self.eps) + self.bias).to(x.dtype)

    def forward(self, x):
        if x.dim() == 3:
            return torch.stack([self.one(row) for row in x]) if len(x) else self.one(x)
        return self.one(x)
