# verdict: fail
# mistake: unlisted
# fails: matches-formula
"""Keeps the state in bfloat16 to save memory."""

import torch
import torch.nn.functional as F


def linear_attention(query, key, value, eps=1e-6):
    q, k = F.elu(query) + 1, F.elu(key) + 1
    state = (k.mT @ value).to(torch.bfloat16)
    norm = q @ k.sum(dim=-2, keepdim=True).mT
    return q @ state.to(q.dtype) / (norm + eps)
