# verdict: fail
# mistake: unlisted
# fails: non-contiguous-input
"""Flattens the batch with view, which raises on transposed inputs."""

import torch
import torch.nn.functional as F


def linear_attention(query, key, value, eps=1e-6):
    *batch, L, E = query.shape
    S, Ev = value.shape[-2:]
    q, k, v = query.view(-1, L, E), key.view(-1, S, E), value.view(-1, S, Ev)
    q, k = F.elu(q) + 1, F.elu(k) + 1
    norm = torch.bmm(q, k.sum(dim=1).unsqueeze(-1)) + eps
    return (torch.bmm(q, torch.bmm(k.transpose(1, 2), v)) / norm).view(*batch, L, Ev)
