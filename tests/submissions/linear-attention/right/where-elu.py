# verdict: pass
"""Writes the feature map by hand with torch.where; exp sees clamped numbers only, so that nothing overflows."""

import torch


def feature_map(x: torch.Tensor) -> torch.Tensor:
    return torch.where(x > 0, x + 1, torch.exp(x.clamp(max=0)))


def linear_attention(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, eps: float = 1e-6) -> torch.Tensor:
    phi_q, phi_k = feature_map(query), feature_map(key)
    numerator = phi_q @ (phi_k.transpose(-2, -1) @ value)
    denominator = (phi_q * phi_k.sum(-2, keepdim=True)).sum(-1, keepdim=True)
    return numerator / (denominator + eps)
