# verdict: fail
# mistake: fill-with-zero
# fails: masked-weights-are-zero
"""Sets masked scores to 0, which is a score like any other."""

import torch


def causal_mask(seq_len, device=None):
    return torch.tril(torch.ones(seq_len, seq_len, dtype=torch.bool, device=device))


def masked_softmax(scores, mask):
    return torch.softmax(scores * mask, dim=-1)
