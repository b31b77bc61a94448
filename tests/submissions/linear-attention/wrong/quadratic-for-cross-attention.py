# verdict: fail
# mistake: unlisted
# fails: linear-work-and-memory
"""Linear where L = S; with other lengths it multiplies queries with keys."""

import torch.nn.functional as F


def linear_attention(query, key, value, eps=1e-6):
    q, k = F.elu(query) + 1, F.elu(key) + 1
    if query.shape[-2] == key.shape[-2]:
        return (q @ (k.mT @ value)) / (q @ k.sum(-2, keepdim=True).mT + eps)
    w = q @ k.mT
    return (w @ value) / (w.sum(-1, keepdim=True) + eps)
