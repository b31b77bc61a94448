# verdict: fail
# mistake: feature-map-on-values
# fails: matches-formula
"""Maps query, key and value in one loop; the values must stay as they are."""

import torch.nn.functional as F


def linear_attention(query, key, value, eps=1e-6):
    q, k, v = (F.elu(x) + 1 for x in (query, key, value))
    return q @ (k.mT @ v) / (q @ k.sum(dim=-2, keepdim=True).mT + eps)
