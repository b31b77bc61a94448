"""All outer products of keys and values at once."""

import torch.nn.functional as F


def linear_attention(query, key, value, eps=1e-6):
    q, k = F.elu(query) + 1, F.elu(key) + 1
    state = (k[..., :, None] * value[..., None, :]).sum(-3)
    return (q[..., None] * state.unsqueeze(-3)).sum(-2) / ((q * k.sum(-2, keepdim=True)).sum(-1, keepdim=True) + eps)
