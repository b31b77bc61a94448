# verdict: fail
# mistake: unlisted
# fails: repeatable
"""Writes into one output buffer for each shape and returns the buffer itself."""

import functools

import torch
import torch.nn.functional as F


@functools.lru_cache(maxsize=None)
def buffer(shape, dtype):
    return torch.empty(shape, dtype=dtype)


def linear_attention(query, key, value, eps=1e-6):
    q, k = F.elu(query) + 1, F.elu(key) + 1
    out = q @ (k.mT @ value) / (q @ k.sum(dim=-2, keepdim=True).mT + eps)
    if out.requires_grad:
        return out
    return buffer(out.shape, out.dtype).copy_(out)
