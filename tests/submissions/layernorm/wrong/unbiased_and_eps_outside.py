# verdict: fail
# mistake: unbiased-and-eps-outside
# fails: matches-formula
"""The version that goes round in blog posts: x.std() + eps, wrong in the divisor and in the place of eps."""

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, size, eps=1e-5):
        super().__init__()
        self.a_2 = nn.Parameter(torch.ones(size))
        self.b_2 = nn.Parameter(torch.zeros(size))
        self.eps = eps

    def forward(self, x):
        mu = x.mean(-1, keepdim=True)
        sigma = x.std(-1, keepdim=True)
        return self.b_2 + self.a_2 * (x - mu) / (sigma + self.eps)
