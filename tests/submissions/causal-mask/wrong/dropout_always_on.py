# verdict: fail
# mistake: unlisted
# fails: repeatable
"""F.dropout on the weights; as a function it is on unless told otherwise."""

import torch
import torch.nn.functional as F


def causal_mask(seq_len, device=None):
    return torch.tril(torch.ones(seq_len, seq_len, dtype=torch.bool, device=device))


def masked_softmax(scores, mask):
    weights = F.softmax(scores.masked_fill(~mask, float("-inf")), dim=-1)
    return F.dropout(weights, p=0.1)
