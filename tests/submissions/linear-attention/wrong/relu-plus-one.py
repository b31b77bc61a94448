# verdict: fail
# mistake: relu-plus-one
# fails: matches-formula
"""relu(x) + 1: agrees with elu(x) + 1 for positive inputs only."""

import torch.nn.functional as F


def linear_attention(query, key, value, eps=1e-6):
    q, k = F.relu(query) + 1, F.relu(key) + 1
    return q @ (k.mT @ value) / (q @ k.sum(dim=-2, keepdim=True).mT + eps)
