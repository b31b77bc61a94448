# verdict: fail
# mistake: always-causal
# fails: weights-match-formula
"""Applies the causal triangle inside the softmax as well, whatever mask it is given."""

import torch


def causal_mask(seq_len, device=None):
    return torch.tril(torch.ones(seq_len, seq_len, dtype=torch.bool, device=device))


def masked_softmax(scores, mask):
    causal = torch.ones(scores.shape[-2:], dtype=torch.bool, device=scores.device).tril()
    return torch.softmax(scores.masked_fill(~(mask & causal), -1e9), dim=-1) * mask
