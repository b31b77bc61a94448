"""The same contract, kept by the library operator. It is timed for comparison, in a trusted worker, and never judged."""

import torch
import torch.nn.functional as F
from torch import nn

NAME = "F.layer_norm"


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape: int, eps: float = 1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps

    def forward(self, x):
        return F.layer_norm(x, self.weight.shape, self.weight, self.bias, self.eps)
