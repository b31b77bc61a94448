# verdict: fail
# mistake: no-normaliser
# fails: matches-formula
"""Returns φ(Q)(φ(K)ᵀV) without dividing by anything."""

import torch
import torch.nn.functional as F


def linear_attention(query, key, value, eps=1e-6):
    q, k = F.elu(query) + 1, F.elu(key) + 1
    kv = torch.einsum("...sd,...sv->...dv", k, value)
    return torch.einsum("...ld,...dv->...lv", q, kv)
