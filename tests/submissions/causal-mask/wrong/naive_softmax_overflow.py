# verdict: fail
# mistake: naive-softmax-overflow
# fails: large-scores-stay-finite
"""exp without subtracting the maximum: inf / inf for large scores."""

import torch


def causal_mask(seq_len, device=None):
    return torch.tril(torch.ones(seq_len, seq_len, dtype=torch.bool, device=device))


def masked_softmax(scores, mask):
    exps = torch.exp(scores.masked_fill(~mask, float("-inf")))
    return exps / exps.sum(dim=-1, keepdim=True)
