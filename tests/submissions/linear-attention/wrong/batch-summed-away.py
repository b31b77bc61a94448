# verdict: fail
# mistake: unlisted
# fails: any-batch-dimensions
"""The einsum drops the batch letter from the state: all batch elements share one sum."""

import torch
import torch.nn.functional as F


def linear_attention(query, key, value, eps=1e-6):
    q, k = F.elu(query) + 1, F.elu(key) + 1
    E, Ev = key.shape[-1], value.shape[-1]
    kv = torch.einsum("nd,nv->dv", k.reshape(-1, E), value.reshape(-1, Ev))
    total = k.reshape(-1, E).sum(dim=0)
    return q @ kv / (torch.matmul(q, total).unsqueeze(-1) + eps)
