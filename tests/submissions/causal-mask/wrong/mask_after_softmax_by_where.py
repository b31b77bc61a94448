# verdict: fail
# mistake: mask-after-softmax
# fails: weights-sum-to-one
"""A softmax by hand over all scores, and torch.where at the very end."""

import torch


def causal_mask(seq_len, device=None):
    return torch.ones((seq_len, seq_len), device=device).tril().bool()


def masked_softmax(scores, mask):
    log_total = torch.logsumexp(scores, dim=-1, keepdim=True)
    weights = (scores - log_total).exp()
    return torch.where(mask, weights, torch.zeros((), dtype=scores.dtype, device=scores.device))
