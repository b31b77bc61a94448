# verdict: fail
# mistake: fill-with-zero
# fails: masked-weights-are-zero
"""Multiplies the scores by the mask to switch keys off."""

import torch


def causal_mask(seq_len, device=None):
    rows = torch.arange(seq_len, device=device).view(-1, 1)
    cols = torch.arange(seq_len, device=device).view(1, -1)
    return cols <= rows


def masked_softmax(scores, mask):
    kept = scores * mask.to(scores.dtype)
    kept = kept - kept.amax(-1, keepdim=True).detach()
    return kept.exp() / kept.exp().sum(-1, keepdim=True)
