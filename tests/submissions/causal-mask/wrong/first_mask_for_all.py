# verdict: fail
# mistake: unlisted
# fails: mask-broadcasts
"""Takes the first mask of the batch for every element."""

import torch


def causal_mask(seq_len, device=None):
    return torch.tril(torch.ones(seq_len, seq_len, dtype=torch.bool, device=device))


def masked_softmax(scores, mask):
    mask = mask.reshape(-1, *mask.shape[-2:])[0]
    return torch.softmax(scores.masked_fill(~mask, -1e9), dim=-1) * mask
