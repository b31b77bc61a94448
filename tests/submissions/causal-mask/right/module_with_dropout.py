# verdict: pass
"""A module instance with dropout on the weights (idle in eval mode) and a bound method, float64 inside."""

import torch
from torch import nn


class _MaskedSoftmax(nn.Module):
    def __init__(self, p=0.1):
        super().__init__()
        self.dropout = nn.Dropout(p)

    def tril(self, n, device=None):
        return torch.ones(n, n, dtype=torch.uint8, device=device).tril() > 0

    def forward(self, scores, mask):
        weights = torch.softmax(scores.double().masked_fill(~mask, float("-inf")), dim=-1)
        return self.dropout(weights.to(scores.dtype))


masked_softmax = _MaskedSoftmax()
causal_mask = masked_softmax.tril
