# verdict: fail
# mistake: no-feature-map
# fails: matches-formula
"""Einsum with a phi that is still the identity from the first draft."""

import torch


def phi(x):
    return x


def linear_attention(query, key, value, eps=1e-6):
    q, k = phi(query), phi(key)
    state = torch.einsum("...se,...sv->...ev", k, value)
    total = torch.einsum("...se->...e", k)
    normaliser = torch.einsum("...le,...e->...l", q, total) + eps
    return torch.einsum("...le,...ev->...lv", q, state) / normaliser.unsqueeze(-1)
