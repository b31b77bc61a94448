# verdict: pass
"""The entry symbol is an nn.Module instance with dropout on the output, which does nothing in eval mode."""

import torch
from torch import Tensor, nn


class LinearAttention(nn.Module):
    def __init__(self, dropout: float = 0.1) -> None:
        super().__init__()
        self.act = nn.ELU(alpha=1.0)
        self.drop = nn.Dropout(dropout)

    def forward(self, query: Tensor, key: Tensor, value: Tensor, eps: float = 1e-6) -> Tensor:
        query, key = self.act(query) + 1, self.act(key) + 1
        context = torch.einsum("...nd,...ne->...de", key, value)
        normaliser = torch.einsum("...nd,...d->...n", query, key.sum(dim=-2)).unsqueeze(-1)
        return self.drop(torch.einsum("...nd,...de->...ne", query, context) / (normaliser + eps))


linear_attention = LinearAttention()
