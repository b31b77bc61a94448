# verdict: fail
# mistake: unlisted
# fails: repeatable
"""Without a gradient it writes into one buffer for each shape, so the next call changes the last answer."""

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps
        self.buffers_by_shape = {}

    def forward(self, x):
        var, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
        out = (x - mean) / torch.sqrt(var + self.eps) * self.weight + self.bias
        if x.requires_grad:
            return out
        buffer = self.buffers_by_shape.setdefault((x.shape, x.dtype), torch.empty_like(out))
        return buffer.copy_(out.detach())
