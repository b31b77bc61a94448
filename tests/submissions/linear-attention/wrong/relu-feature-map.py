# verdict: fail
# mistake: relu-feature-map
# fails: matches-formula
"""Takes relu as the feature map; features below zero are lost."""

import torch


def linear_attention(query, key, value, eps=1e-6):
    q, k = torch.relu(query), torch.relu(key)
    return q @ (k.mT @ value) / (q @ k.sum(-2, keepdim=True).mT + eps)
