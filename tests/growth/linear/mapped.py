"""Lifted over the heads, and over the queries, by vmap."""

import torch
import torch.nn.functional as F


def one_query(q, state, total, eps):
    return q @ state / (q @ total + eps)


def one_head(query, key, value, eps):
    q, k = F.elu(query) + 1, F.elu(key) + 1
    return torch.vmap(one_query, in_dims=(0, None, None, None))(q, k.T @ value, k.sum(0), eps)


def linear_attention(query, key, value, eps=1e-6):
    f = one_head
    for _ in range(query.dim() - 2):
        f = torch.vmap(f, in_dims=(0, 0, 0, None))
    return f(query, key, value, eps)
