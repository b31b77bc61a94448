# verdict: fail
# mistake: quadratic
# fails: linear-work-and-memory
"""Right values, but multiplies Q with Kᵀ first: the L x S matrix that the kata is about to avoid."""

import torch.nn.functional as F


def linear_attention(query, key, value, eps=1e-6):
    query, key = F.elu(query) + 1, F.elu(key) + 1
    weights = query @ key.transpose(-2, -1)
    weights = weights / (weights.sum(dim=-1, keepdim=True) + eps)
    return weights @ value
