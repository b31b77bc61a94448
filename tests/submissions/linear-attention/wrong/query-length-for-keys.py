# verdict: fail
# mistake: unlisted
# fails: lengths-and-widths-may-differ
"""Runs the loop over the keys with the query's length: keys are left out, or the index runs over."""

import torch
import torch.nn.functional as F


def linear_attention(query, key, value, eps=1e-6):
    T = query.shape[-2]
    q, k = F.elu(query) + 1, F.elu(key) + 1
    state, total = 0.0, 0.0
    for t in range(T):
        state = state + k[..., t, :].unsqueeze(-1) * value[..., t, :].unsqueeze(-2)
        total = total + k[..., t, :].unsqueeze(-1)
    return torch.matmul(q, state) / (torch.matmul(q, total) + eps)
