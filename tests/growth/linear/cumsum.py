"""Prefix sums over the keys, of which the last one is read."""

import torch.nn.functional as F


def linear_attention(query, key, value, eps=1e-6):
    q, k = F.elu(query) + 1, F.elu(key) + 1
    state = (k[..., :, None] * value[..., None, :]).cumsum(-3)[..., -1, :, :]
    return q @ state / (q @ k.cumsum(-2)[..., -1, :, None] + eps)
