# verdict: fail
# mistake: unlisted
# fails: matches-formula
"""Keeps the four projections in a ModuleList, so that their names are only numbers."""

import copy
import math

from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("d_model must be divisible by num_heads")
        self.h, self.d = num_heads, d_model // num_heads
        self.linears = nn.ModuleList(copy.deepcopy(nn.Linear(d_model, d_model)) for _ in range(4))

    def forward(self, *inputs):
        mask = inputs[3] if len(inputs) > 3 else None
        q, k, v = (f(x).unflatten(2, (self.h, self.d)).transpose(1, 2) for f, x in zip(self.linears, inputs[:3]))
        scores = q @ k.mT / math.sqrt(self.d)
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        return self.linears[-1]((scores.softmax(-1) @ v).transpose(1, 2).flatten(2))
