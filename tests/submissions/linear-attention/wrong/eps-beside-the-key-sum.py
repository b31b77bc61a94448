# verdict: fail
# mistake: unlisted
# fails: eps-keeps-its-place
"""Adds eps to the sum of the keys, before the dot product with the query multiplies it."""

import torch.nn.functional as F


def linear_attention(query, key, value, eps=1e-6):
    q, k = F.elu(query) + 1, F.elu(key) + 1
    total = k.sum(dim=-2, keepdim=True) + eps
    return q @ (k.mT @ value) / (q @ total.mT)
