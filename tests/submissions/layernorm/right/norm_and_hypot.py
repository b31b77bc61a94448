# verdict: pass
"""sqrt(var + eps) as the hypotenuse of the standard deviation and sqrt(eps); forward takes *args."""

import math

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, *args):
        super().__init__()
        width, self.eps = args if len(args) == 2 else (*args, 1e-5)
        self.gain = nn.Parameter(torch.ones(width))
        self.bias = nn.Parameter(torch.zeros(width))

    def forward(self, *args):
        (x,) = args
        centred = x - x.mean(-1, keepdim=True)
        centred = centred - centred.mean(-1, keepdim=True)  # once more: takes out the rounding of a large mean
        std = torch.linalg.vector_norm(centred, dim=-1, keepdim=True) / math.sqrt(x.shape[-1])
        return centred / torch.hypot(std, torch.full_like(std, math.sqrt(self.eps))) * self.gain + self.bias
