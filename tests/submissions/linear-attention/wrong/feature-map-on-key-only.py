# verdict: fail
# mistake: feature-map-on-key-only
# fails: matches-formula
"""Overwrites the wrong variable: the query is never mapped."""

import torch.nn.functional as F


def linear_attention(query, key, value, eps=1e-6):
    key = F.elu(key) + 1
    state, total = key.mT @ value, key.sum(dim=-2, keepdim=True)
    return query @ state / (query @ total.mT + eps)
