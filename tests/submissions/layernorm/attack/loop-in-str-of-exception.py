# verdict: unusable
# kind: loops and sleeps
# stopped-by: the parent's wall clock covers everything that the worker does
"""Raises an exception whose text takes for ever."""

import time

import torch
from torch import nn


class Slow(Exception):
    def __str__(self):
        time.sleep(30)
        return "slow"


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps

    def forward(self, x):
        raise Slow
