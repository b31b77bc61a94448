"""A loop over the queries, each of which visits all the keys: no L×S matrix, and L·S steps."""

import torch
import torch.nn.functional as F


def linear_attention(query, key, value, eps=1e-6):
    q, k = F.elu(query) + 1, F.elu(key) + 1
    rows = []
    for i in range(query.shape[-2]):
        weights = (q[..., i : i + 1, :] * k).sum(-1, keepdim=True)
        rows.append((weights * value).sum(-2) / (weights.sum(-2) + eps))
    return torch.stack(rows, -2)
