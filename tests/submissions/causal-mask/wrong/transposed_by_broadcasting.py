# verdict: fail
# mistake: transposed
# fails: mask-is-lower-triangle
"""Compares positions, with the new axes at the wrong ends."""

import torch


def causal_mask(seq_len, device=None):
    index = torch.arange(seq_len, device=device)
    query, key = index.unsqueeze(0), index.unsqueeze(1)
    return torch.ge(query, key)


def masked_softmax(scores, mask):
    filled = torch.where(mask, scores, torch.finfo(scores.dtype).min)
    return torch.softmax(filled, dim=-1) * mask
