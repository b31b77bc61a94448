# verdict: pass
"""The careful answer: works in double, never makes a NaN, and gives zeros to a query that sees no key."""

import math

import torch


def scaled_dot_product_attention(
    query: torch.Tensor,  # (..., L, E)
    key: torch.Tensor,  # (..., S, E)
    value: torch.Tensor,  # (..., S, Ev)
    attn_mask: torch.Tensor | None = None,  # bool, broadcastable to (..., L, S)
) -> torch.Tensor:
    if query.size(-1) != key.size(-1) or key.size(-2) != value.size(-2):
        raise ValueError(f"shapes do not fit: {tuple(query.shape)}, {tuple(key.shape)}, {tuple(value.shape)}")
    dtype = query.dtype
    scores = query.double() @ key.double().mT / math.sqrt(query.size(-1))
    if attn_mask is None:
        weights = scores.softmax(dim=-1)
    else:
        weights = scores.masked_fill(~attn_mask, torch.finfo(scores.dtype).min).softmax(dim=-1)
        weights = weights.masked_fill(~attn_mask, 0.0)
    return (weights @ value.double()).to(dtype)
