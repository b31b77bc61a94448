# verdict: fail
# kind: global torch state
# stopped-by: the parent's process is another one
"""Makes meta the default device, so that new tensors hold nothing."""

import torch
from torch import nn


torch.set_default_device("meta")


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps

    def forward(self, x):
        scale = torch.ones(x.shape[-1], dtype=x.dtype)
        return (x - x.mean(-1, keepdim=True)).to("meta") * scale
