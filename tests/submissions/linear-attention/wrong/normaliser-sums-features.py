# verdict: fail
# mistake: normaliser-wrong-axis
# fails: matches-formula
"""Sums the key features over E and not over the keys, then spreads the total."""

import torch
import torch.nn.functional as F


def linear_attention(query, key, value, eps=1e-6):
    q, k = F.elu(query) + 1, F.elu(key) + 1
    kv = torch.einsum("...sd,...sv->...dv", k, value)
    k_sum = k.sum(dim=-1).mean(dim=-1)[..., None, None]
    z = (q.sum(dim=-1, keepdim=True) * k_sum) + eps
    return torch.einsum("...ld,...dv->...lv", q, kv) / z
