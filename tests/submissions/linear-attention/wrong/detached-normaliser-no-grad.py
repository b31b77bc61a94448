# verdict: fail
# mistake: detached-normaliser
# fails: input-gradients
"""Computes the normaliser under no_grad, because it is only a weight."""

import torch
import torch.nn.functional as F


def linear_attention(query, key, value, eps=1e-6):
    q, k = F.elu(query) + 1, F.elu(key) + 1
    with torch.no_grad():
        z = 1.0 / (torch.einsum("...le,...se->...l", q, k) + eps)
    return torch.einsum("...le,...ev,...l->...lv", q, torch.einsum("...se,...sv->...ev", k, value), z)
