"""A Python loop that writes rows into a tensor made beforehand, and makes small tensors from a large one."""

import torch.nn.functional as F


def linear_attention(query, key, value, eps=1e-6):
    q, k = F.elu(query) + 1, F.elu(key) + 1
    state = (k.mT @ value).unsqueeze(-3)
    total = k.sum(-2, keepdim=True)
    out = query.new_zeros(*query.shape[:-1], value.shape[-1])
    for i in range(query.shape[-2]):
        start = query.new_zeros(value.shape[-1])
        row = q[..., i : i + 1, :]
        out[..., i, :] = start + ((row @ state[..., 0, :, :]) / ((row * total).sum(-1, keepdim=True) + eps))[..., 0, :]
    return out
