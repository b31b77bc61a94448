# verdict: fail
# mistake: quadratic
# fails: linear-work-and-memory
"""Builds an L x S matrix of ones, kept from a masked version, only to learn which keys any query may see."""

import torch
import torch.nn.functional as F


def linear_attention(query, key, value, eps=1e-6):
    visible = torch.ones(query.shape[-2], key.shape[-2], dtype=torch.bool, device=query.device)
    keep = visible.any(dim=0).unsqueeze(-1)  # (S, 1)
    query, key = F.elu(query) + 1, (F.elu(key) + 1) * keep
    return query @ (key.mT @ value) / (query @ key.sum(-2, keepdim=True).mT + eps)
