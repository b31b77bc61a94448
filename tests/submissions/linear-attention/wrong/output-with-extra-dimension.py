# verdict: fail
# mistake: unlisted
# fails: matches-formula
"""A stray unsqueeze gives (..., 1, L, Ev), which broadcasts against the right answer unnoticed."""

import torch.nn.functional as F


def linear_attention(query, key, value, eps=1e-6):
    q, k = F.elu(query) + 1, F.elu(key) + 1
    state = (k.mT @ value).unsqueeze(-3)
    norm = (q @ k.sum(dim=-2, keepdim=True).mT).unsqueeze(-3)
    return q.unsqueeze(-3) @ state / (norm + eps)
