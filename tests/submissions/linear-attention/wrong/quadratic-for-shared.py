# verdict: fail
# mistake: unlisted
# fails: linear-work-and-memory
"""Where query and key are one tensor it maps once and uses the Gram matrix."""

import torch.nn.functional as F


def linear_attention(query, key, value, eps=1e-6):
    q = F.elu(query) + 1
    if query is key:
        gram = q @ q.mT
        return gram @ value / (gram.sum(-1, keepdim=True) + eps)
    k = F.elu(key) + 1
    return (q @ (k.mT @ value)) / (q @ k.sum(-2, keepdim=True).mT + eps)
