# verdict: fail
# mistake: extra-dimensions
# fails: mask-is-lower-triangle
"""Returns (1, 1, n, n), ready for (B, H, L, S): broadcasts like the right one, has the wrong shape."""

import torch


def causal_mask(seq_len, device=None):
    return torch.ones(1, 1, seq_len, seq_len, dtype=torch.bool, device=device).tril()


def masked_softmax(scores, mask):
    return torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=-1)
