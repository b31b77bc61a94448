# verdict: fail
# mistake: unlisted
# fails: input-unmodified
"""F.elu(..., inplace=True) saves memory at the expense of the caller's tensors."""

import torch.nn.functional as F


def linear_attention(query, key, value, eps=1e-6):
    q = F.elu(query, inplace=True) + 1
    k = F.elu(key, inplace=True) + 1
    return q @ (k.mT @ value) / (q @ k.sum(dim=-2, keepdim=True).mT + eps)
