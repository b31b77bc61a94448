# verdict: fail
# mistake: unlisted
# fails: shared-input
"""Writes the result over the input where one tensor is query, key and value, to save memory."""

import torch.nn.functional as F


def linear_attention(query, key, value, eps=1e-6):
    q, k = F.elu(query) + 1, F.elu(key) + 1
    out = (q @ (k.mT @ value)) / (q @ k.sum(-2, keepdim=True).mT + eps)
    if query is key and key is value and not query.requires_grad:
        return query.copy_(out)
    return out
