# verdict: fail
# mistake: swapped-query-key
# fails: matches-formula
"""The helper takes keys first, the call gives queries first."""

import torch
import torch.nn.functional as F


def _attend(keys, queries, values, eps):
    memory = torch.einsum("...se,...sv->...ev", keys, values)
    weight = torch.einsum("...le,...e->...l", queries, keys.sum(dim=-2)) + eps
    return torch.einsum("...le,...ev->...lv", queries, memory) / weight[..., None]


def linear_attention(query, key, value, eps=1e-6):
    return _attend(F.elu(query) + 1, F.elu(key) + 1, value, eps)
