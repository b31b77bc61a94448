# verdict: pass
"""Written for single matrices and lifted over the batch dimensions with torch.vmap."""

import functools

import torch
import torch.nn.functional as F


def single(query, key, value, eps):
    q, k = F.elu(query) + 1, F.elu(key) + 1
    return (q @ (k.T @ value)) / (q @ k.sum(0) + eps)[:, None]


def linear_attention(query, key, value, eps=1e-6):
    f = functools.partial(single, eps=eps)
    for _ in range(query.dim() - 2):
        f = torch.vmap(f)
    return f(query, key, value)
