# verdict: fail
# mistake: detached-normaliser
# fails: input-gradients
"""Detaches the normaliser as if it were a mere constant."""

import torch.nn.functional as F


def linear_attention(query, key, value, eps=1e-6):
    q, k = F.elu(query) + 1, F.elu(key) + 1
    norm = (q @ k.sum(dim=-2, keepdim=True).mT).detach()
    return q @ (k.mT @ value) / (norm + eps)
