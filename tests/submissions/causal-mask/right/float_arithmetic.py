# verdict: pass
"""Selects by multiplication, score * m + (1 - m) * (-1e9), after turning the mask into numbers of the scores' dtype."""

import torch


def causal_mask(size, device=None):
    ones = torch.ones(size, size, device=device)
    return ones.cumsum(0) >= ones.cumsum(1)


def masked_softmax(scores, mask):
    m = mask.to(scores.dtype)
    scores = scores * m + (1 - m) * -1e9
    shifted = scores - scores.max(dim=-1, keepdim=True)[0].detach()
    numerator = shifted.exp() * m
    return numerator / numerator.sum(-1, keepdim=True)
