# verdict: fail
# mistake: normaliser-wrong-axis
# fails: matches-formula
"""Sums the query features over the queries and dots them with each key; it needs L = S to divide at all."""

import torch
import torch.nn.functional as F


def linear_attention(query, key, value, eps=1e-6):
    q, k = F.elu(query) + 1, F.elu(key) + 1
    z = torch.einsum("...d,...sd->...s", q.sum(dim=-2), k).unsqueeze(-1)
    return q @ (k.mT @ value) / (z + eps)
