"""Linear but for the output, which is copied whenever a row is joined to it."""

import torch
import torch.nn.functional as F


def linear_attention(query, key, value, eps=1e-6):
    q, k = F.elu(query) + 1, F.elu(key) + 1
    state, total = k.mT @ value, k.sum(-2).unsqueeze(-1)
    out = value[..., :0, :]
    for i in range(query.shape[-2]):
        row = q[..., i : i + 1, :]
        out = torch.cat([out, row @ state / (row @ total + eps)], -2)
    return out
