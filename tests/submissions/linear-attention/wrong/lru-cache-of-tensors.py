# verdict: fail
# mistake: unlisted
# fails: repeatable
"""Caches the state by the identity of key and value: a tensor that was changed in place meets its old state."""

import functools

import torch.nn.functional as F


@functools.lru_cache(maxsize=16)
def _state(key, value):
    k = F.elu(key) + 1
    return k.mT @ value, k.sum(-2, keepdim=True).mT


def linear_attention(query, key, value, eps=1e-6):
    q = F.elu(query) + 1
    s, z = _state(key, value)
    return (q @ s) / (q @ z + eps)
