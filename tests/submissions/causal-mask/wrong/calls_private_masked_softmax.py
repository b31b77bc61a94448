# verdict: fail
# mistake: unlisted
# fails: no-forbidden-operator
"""Calls the private fused kernel through a name put together at run time; its mask means 'blocked'."""

import torch

_fused = getattr(torch, "_masked_" + "softmax")


def causal_mask(seq_len, device=None):
    return torch.tril(torch.ones(seq_len, seq_len, dtype=torch.bool, device=device))


def masked_softmax(scores, mask):
    blocked = ~mask.expand_as(scores)
    return _fused(scores.contiguous(), blocked.contiguous(), scores.dim() - 1)
