# verdict: fail
# mistake: fill-too-small
# fails: masked-score-has-no-influence
"""Adds log(mask + 1e-45), an old recipe against log(0): about -103, which a large masked score overcomes."""

import torch


def causal_mask(seq_len, device=None):
    return torch.tril(torch.ones(seq_len, seq_len, dtype=torch.bool, device=device))


def masked_softmax(scores, mask):
    return torch.softmax(scores + (mask.to(scores.dtype) + 1e-45).log(), dim=-1)
