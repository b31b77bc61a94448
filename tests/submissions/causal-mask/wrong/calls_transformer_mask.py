# verdict: fail
# mistake: unlisted
# fails: no-forbidden-operator
"""Lets nn.Transformer make the mask and only compares it with zero."""

import torch
from torch import nn


def causal_mask(seq_len, device=None):
    return nn.Transformer.generate_square_subsequent_mask(seq_len, device=device) == 0


def masked_softmax(scores, mask):
    return torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=-1)
