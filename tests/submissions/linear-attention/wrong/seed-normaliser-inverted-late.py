# verdict: fail
# mistake: normaliser-not-inverted
# fails: matches-formula
"""Inverts only the key sum before the dot product: 1/a + 1/b is not 1/(a + b)."""

import torch
from torch.nn import functional as F


def linear_attention(query, key, value, eps=1e-6):
    phi_q, phi_k = F.elu(query) + 1, F.elu(key) + 1
    context = torch.einsum("...sd,...sv->...dv", phi_k, value)
    inverse = 1 / (phi_k.sum(dim=-2) + eps)
    norm = torch.einsum("...ld,...d->...l", phi_q, inverse)
    return torch.einsum("...ld,...dv,...l->...lv", phi_q, context, norm)
