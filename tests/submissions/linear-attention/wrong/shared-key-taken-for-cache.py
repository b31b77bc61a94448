# verdict: fail
# mistake: unlisted
# fails: shared-input
"""Skips the second feature map when query and key share memory, as if the first had worked in place."""

import torch.nn.functional as F


def linear_attention(query, key, value, eps=1e-6):
    q = F.elu(query) + 1
    already_mapped = key.data_ptr() == query.data_ptr() and key.shape == query.shape
    k = key if already_mapped else F.elu(key) + 1
    return q @ (k.mT @ value) / (q @ k.sum(dim=-2, keepdim=True).mT + eps)
