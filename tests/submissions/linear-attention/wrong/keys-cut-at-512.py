# verdict: fail
# mistake: unlisted
# fails: long-inputs
"""Reads at most 512 keys, the maximal length of a model."""

import torch.nn.functional as F


def linear_attention(query, key, value, eps=1e-6):
    q, k = F.elu(query) + 1, F.elu(key) + 1
    k, value = k[..., :512, :], value[..., :512, :]
    return (q @ (k.mT @ value)) / (q @ k.sum(-2, keepdim=True).mT + eps)
