# verdict: fail
# mistake: unlisted
# fails: lengths-and-widths-may-differ
"""Allocates a square (E, E) state: it raises where the value is wider or narrower than the key."""

import torch
import torch.nn.functional as F


def linear_attention(query, key, value, eps=1e-6):
    q, k = F.elu(query) + 1, F.elu(key) + 1
    E = query.shape[-1]
    state = query.new_zeros(*query.shape[:-2], E, E)
    for j in range(key.shape[-2]):
        state = state + k[..., j, :, None] * value[..., j, None, :]
    norm = torch.matmul(q, k.sum(dim=-2).unsqueeze(-1))
    return q @ state / (norm + eps)
