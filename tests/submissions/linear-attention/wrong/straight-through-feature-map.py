# verdict: fail
# mistake: unlisted
# fails: input-gradients
"""The slope of the feature map is taken as 1 everywhere: right values, wrong gradient for negative inputs."""

import torch.nn.functional as F


def phi(x):
    return x + (F.elu(x) + 1 - x).detach()


def linear_attention(query, key, value, eps=1e-6):
    q, k = phi(query), phi(key)
    return q @ (k.mT @ value) / (q @ k.sum(dim=-2, keepdim=True).mT + eps)
