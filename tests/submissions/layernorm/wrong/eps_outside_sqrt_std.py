# verdict: fail
# mistake: eps-outside-sqrt
# fails: eps-inside-the-root
"""The population standard deviation by torch.std, plus eps, under the fraction line."""

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(normalized_shape))
        self.beta = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps

    def forward(self, x):
        deviation = x - x.mean(-1, keepdim=True)
        spread = torch.std(x, dim=-1, correction=0, keepdim=True)
        return torch.addcmul(self.beta, self.gamma, deviation / (spread + self.eps))
