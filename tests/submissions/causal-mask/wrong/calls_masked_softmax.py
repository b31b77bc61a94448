# verdict: fail
# mistake: unlisted
# fails: no-forbidden-operator
"""torch.masked has a function of that very name."""

import torch
import torch.masked


def causal_mask(seq_len, device=None):
    return torch.tril(torch.ones(seq_len, seq_len, dtype=torch.bool, device=device))


def masked_softmax(scores, mask):
    return torch.masked.softmax(scores, -1, mask=mask.expand_as(scores))
