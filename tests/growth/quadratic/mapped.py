"""vmap over the queries, each of which visits all the keys: it becomes one large product."""

import torch
import torch.nn.functional as F


def one_query(q, k, value, eps):
    weights = (k * q).sum(-1)
    return weights @ value / (weights.sum() + eps)


def one_head(query, key, value, eps):
    return torch.vmap(one_query, in_dims=(0, None, None, None))(F.elu(query) + 1, F.elu(key) + 1, value, eps)


def linear_attention(query, key, value, eps=1e-6):
    f = one_head
    for _ in range(query.dim() - 2):
        f = torch.vmap(f, in_dims=(0, 0, 0, None))
    return f(query, key, value, eps)
