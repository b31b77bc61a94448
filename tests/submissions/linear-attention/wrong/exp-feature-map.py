# verdict: fail
# mistake: exp-feature-map
# fails: matches-formula
"""φ(x) = exp(x), to be closer to softmax; it overflows too."""

import torch


def linear_attention(query, key, value, eps=1e-6):
    q, k = torch.exp(query), torch.exp(key)
    return q @ (k.mT @ value) / (q @ k.sum(dim=-2, keepdim=True).mT + eps)
