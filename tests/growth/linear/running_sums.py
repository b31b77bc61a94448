"""A Python loop over keys, then one over queries; its backward pass is quadratic, by autograd's doing."""

import torch
import torch.nn.functional as F


def linear_attention(query, key, value, eps=1e-6):
    state, total = 0, 0
    for j in range(key.shape[-2]):
        k = F.elu(key[..., j, :]) + 1
        state, total = state + k[..., :, None] * value[..., j, None, :], total + k
    rows = []
    for i in range(query.shape[-2]):
        q = F.elu(query[..., i, :]) + 1
        rows.append((q[..., None] * state).sum(-2) / ((q * total).sum(-1, keepdim=True) + eps))
    return torch.stack(rows, -2)
