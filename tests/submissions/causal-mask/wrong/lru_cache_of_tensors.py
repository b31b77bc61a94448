# verdict: fail
# mistake: unlisted
# fails: repeatable
"""Caches weights by the identity of scores and mask: a tensor that was changed in place meets its old answer."""

import functools

import torch


def causal_mask(seq_len, device=None):
    return torch.ones(seq_len, seq_len, dtype=torch.bool, device=device).tril()


@functools.lru_cache(maxsize=4)
def masked_softmax(scores, mask):
    return scores.masked_fill(~mask, float("-inf")).softmax(-1)
