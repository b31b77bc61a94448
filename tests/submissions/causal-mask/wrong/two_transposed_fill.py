# verdict: fail
# mistake: two: transposed + fill-too-small
# fails: mask-is-lower-triangle, masked-weights-are-zero
"""triu for tril, and -20 for minus infinity."""

import torch


def causal_mask(seq_len, device=None):
    return torch.triu(torch.ones(seq_len, seq_len, dtype=torch.bool, device=device))


def masked_softmax(scores, mask):
    return torch.where(mask, scores, -20.0).softmax(dim=-1)
