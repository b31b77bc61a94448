"""The sum over the first j keys anew for every j."""

import torch.nn.functional as F


def linear_attention(query, key, value, eps=1e-6):
    q, k = F.elu(query) + 1, F.elu(key) + 1
    for j in range(key.shape[-2]):
        state, total = k[..., : j + 1, :].mT @ value[..., : j + 1, :], k[..., : j + 1, :].sum(-2)
    return q @ state / (q @ total.unsqueeze(-1) + eps)
