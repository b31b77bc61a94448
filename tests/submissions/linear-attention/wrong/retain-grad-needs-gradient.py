# verdict: fail
# mistake: unlisted
# fails: matches-formula
"""Calls retain_grad on the state for debugging, which raises where nothing requires a gradient."""

import torch.nn.functional as F


def linear_attention(query, key, value, eps=1e-6):
    q, k = F.elu(query) + 1, F.elu(key) + 1
    state = k.transpose(-2, -1) @ value
    state.retain_grad()
    return q @ state / (q @ k.sum(dim=-2, keepdim=True).mT + eps)
