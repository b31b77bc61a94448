# verdict: fail
# mistake: unlisted
# fails: mask-is-lower-triangle
"""Cuts the mask out of a triangle of fixed block size; a longer sequence gets a mask that is too small."""

import torch

BLOCK_SIZE = 16
_TRIANGLE = torch.tril(torch.ones(BLOCK_SIZE, BLOCK_SIZE, dtype=torch.bool))


def causal_mask(seq_len, device=None):
    return _TRIANGLE[:seq_len, :seq_len].to(device or "cpu", copy=True)


def masked_softmax(scores, mask):
    return torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=-1)
