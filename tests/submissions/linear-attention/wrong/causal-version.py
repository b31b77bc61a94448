# verdict: fail
# mistake: causal-version
# fails: matches-formula
"""The causal form of the paper: prefix sums, so that a query sees only earlier keys."""

import torch
import torch.nn.functional as F


def linear_attention(query, key, value, eps=1e-6):
    q, k = F.elu(query) + 1, F.elu(key) + 1
    kv = torch.cumsum(k.unsqueeze(-1) * value.unsqueeze(-2), dim=-3)  # (..., S, E, Ev)
    z = torch.cumsum(k, dim=-2)
    numerator = torch.einsum("...sd,...sdv->...sv", q, kv)
    denominator = torch.einsum("...sd,...sd->...s", q, z).unsqueeze(-1)
    return numerator / (denominator + eps)
