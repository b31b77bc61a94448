# verdict: fail
# mistake: unlisted
# fails: large-inputs-stay-finite
"""Gets min(exp(x) - 1, 0) as y - relu(y): digits cancel for large inputs, and in float32 it is inf - inf."""

import torch


def elu(x):
    rest = torch.exp(x) - 1
    return torch.relu(x) + rest - torch.relu(rest)


def linear_attention(query, key, value, eps=1e-6):
    q, k = elu(query) + 1, elu(key) + 1
    return q @ (k.mT @ value) / (q @ k.sum(dim=-2, keepdim=True).mT + eps)
