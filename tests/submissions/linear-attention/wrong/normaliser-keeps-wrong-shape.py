# verdict: fail
# mistake: unlisted
# fails: matches-formula
"""Forgets unsqueeze(-1): the normaliser is laid along the value's features, if its shape fits at all."""

import torch
import torch.nn.functional as F


def linear_attention(query, key, value, eps=1e-6):
    q, k = F.elu(query) + 1, F.elu(key) + 1
    norm = torch.einsum("...ld,...d->...l", q, k.sum(dim=-2)) + eps
    return torch.matmul(q, torch.matmul(k.mT, value)) / norm
