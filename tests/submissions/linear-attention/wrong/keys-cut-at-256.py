# verdict: fail
# mistake: unlisted
# fails: lengths-and-widths-may-differ
"""Reads the keys in one block of at most 256 and forgets the rest of a longer sequence."""

import torch.nn.functional as F

BLOCK = 256


def linear_attention(query, key, value, eps=1e-6):
    key, value = key[..., :BLOCK, :], value[..., :BLOCK, :]
    q, k = F.elu(query) + 1, F.elu(key) + 1
    return q @ (k.mT @ value) / (q @ k.sum(dim=-2, keepdim=True).mT + eps)
