# verdict: fail
# mistake: normaliser-not-inverted
# fails: matches-formula
"""Calls the normaliser z, as the paper does, and multiplies by it instead of by its inverse."""

import torch
import torch.nn.functional as F


def linear_attention(query, key, value, eps=1e-6):
    q, k = F.elu(query) + 1, F.elu(key) + 1
    kv = torch.einsum("...sd,...sv->...dv", k, value)
    z = torch.einsum("...ld,...d->...l", q, k.sum(dim=-2)) + eps
    return torch.einsum("...ld,...dv,...l->...lv", q, kv, z)
