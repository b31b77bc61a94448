# verdict: fail
# mistake: diagonal-off-by-one
# fails: mask-is-lower-triangle
"""Fills the mask row by row, and the slice of row i reaches one key too far."""

import torch


def causal_mask(seq_len, device=None):
    mask = torch.zeros(seq_len, seq_len, dtype=torch.bool, device=device)
    for i in range(seq_len):
        mask[i, : i + 2] = True
    return mask


def masked_softmax(scores, mask):
    hidden = torch.logical_not(mask)
    peak = scores.masked_fill(hidden, float("-inf")).amax(dim=-1, keepdim=True)
    exps = torch.exp(scores.masked_fill(hidden, float("-inf")) - peak)
    return exps / exps.sum(dim=-1, keepdim=True)
