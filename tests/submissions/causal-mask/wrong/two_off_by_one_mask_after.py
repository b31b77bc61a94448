# verdict: fail
# mistake: two: diagonal-off-by-one + mask-after-softmax
# fails: mask-is-lower-triangle, weights-sum-to-one
"""The triangle reaches one too far, and the mask comes after the softmax."""

import torch


def causal_mask(seq_len, device=None):
    return torch.tril(torch.ones(seq_len, seq_len, dtype=torch.bool, device=device), diagonal=1)


def masked_softmax(scores, mask):
    return torch.nn.functional.softmax(scores, dim=-1) * mask
