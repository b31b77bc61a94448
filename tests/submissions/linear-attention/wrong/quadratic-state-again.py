# verdict: fail
# mistake: quadratic
# fails: linear-work-and-memory
"""Computes the state anew for every query, as if the sum over the keys depended on it."""

import torch
import torch.nn.functional as F


def linear_attention(query, key, value, eps=1e-6):
    outs = []
    for q in query.unbind(dim=-2):
        q = F.elu(q).unsqueeze(-2) + 1  # (..., 1, E)
        k = F.elu(key) + 1
        state = k.transpose(-2, -1) @ value
        norm = (q * k.sum(dim=-2, keepdim=True)).sum(dim=-1, keepdim=True) + eps
        outs.append(q @ state / norm)
    return torch.cat(outs, dim=-2)
