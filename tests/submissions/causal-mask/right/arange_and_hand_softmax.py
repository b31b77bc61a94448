# verdict: pass
"""The mask from comparing two aranges; softmax by hand with the row maximum of the visible scores subtracted."""

import torch
from torch import Tensor


def causal_mask(n: int, device: torch.device | str | None = None) -> Tensor:
    position = torch.arange(n, device=device)
    return position[None, :] <= position[:, None]


def masked_softmax(s: Tensor, keep: Tensor) -> Tensor:
    s = torch.where(keep, s, torch.finfo(s.dtype).min)
    e = torch.exp(s - s.amax(dim=-1, keepdim=True)) * keep
    return e / e.sum(dim=-1, keepdim=True)
