# verdict: fail
# mistake: unlisted
# fails: input-gradients
"""The feature map runs under no_grad; only the values learn."""

import torch
import torch.nn.functional as F


@torch.no_grad()
def phi(x):
    return F.elu(x) + 1


def linear_attention(query, key, value, eps=1e-6):
    q, k = phi(query), phi(key)
    return q @ (k.mT @ value) / (q @ k.sum(dim=-2, keepdim=True).mT + eps)
