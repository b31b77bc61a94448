# verdict: pass
# timing: too-slow
"""Running sums over the keys, of which only the last is used."""

import torch
import torch.nn.functional as F


def linear_attention(query, key, value, eps=1e-6):
    q, k = F.elu(query) + 1, F.elu(key) + 1
    kv = torch.cumsum(k.unsqueeze(-1) * value.unsqueeze(-2), -3)[..., -1, :, :]
    z = torch.cumsum(k, -2)[..., -1, :]
    return (q @ kv) / ((q * z.unsqueeze(-2)).sum(-1, keepdim=True) + eps)
