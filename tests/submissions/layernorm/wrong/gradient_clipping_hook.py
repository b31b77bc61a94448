# verdict: fail
# mistake: unlisted
# fails: input-gradient
"""Hangs a clipping hook on the answer against exploding gradients."""

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps

    def forward(self, x):
        var, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
        out = (x - mean) / torch.sqrt(var + self.eps) * self.weight + self.bias
        if out.requires_grad:
            out.register_hook(lambda grad: grad.clamp(-0.5, 0.5))
        return out
