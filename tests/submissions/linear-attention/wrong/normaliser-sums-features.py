# verdict: fail
# mistake: normaliser-wrong-axis
# fails: matches-formula
"""Sums the keys over their features; the einsum then sums query and key apart from each other."""

import torch
import torch.nn.functional as F


def linear_attention(query, key, value, eps=1e-6):
    q, k = F.elu(query) + 1, F.elu(key) + 1
    kv = torch.einsum("...sd,...sv->...dv", k, value)
    k_sum = k.sum(dim=-1)  # (..., S)
    z = torch.einsum("...ld,...s->...l", q, k_sum) + eps
    return torch.einsum("...ld,...dv->...lv", q, kv) / z.unsqueeze(-1)
