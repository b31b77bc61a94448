# verdict: pass
"""A typed module behind a frozen config, annotations postponed; the entry symbol is a partial of a classmethod."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class Config:
    width: int
    eps: float


class Norm(nn.Module):
    def __init__(self, config: Config) -> None:
        super().__init__()
        self.config = config
        self.weight: nn.Parameter = nn.Parameter(torch.full((config.width,), 1.0))
        self.bias: nn.Parameter = nn.Parameter(torch.full((config.width,), 0.0))

    @classmethod
    def build(cls, kind: str, width: int, eps: float = 1e-5) -> Norm:
        return cls(Config(width, eps))

    def forward(self, x: Tensor) -> Tensor:
        if x.shape[-1] != self.config.width:
            raise ValueError(f"expected {self.config.width} features, got {x.shape[-1]}")
        mean = x.sum(-1, keepdim=True) / self.config.width
        var = (x - mean).square().sum(-1, keepdim=True) / self.config.width
        return torch.div(x - mean, torch.sqrt(var + self.config.eps)).mul(self.weight).add(self.bias)


LayerNorm = partial(Norm.build, "layer")
