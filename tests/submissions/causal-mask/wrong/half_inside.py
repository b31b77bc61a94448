# verdict: fail
# mistake: unlisted
# fails: weights-match-formula
"""Takes the softmax in float16 for speed."""

import torch


def causal_mask(seq_len, device=None):
    return torch.tril(torch.ones(seq_len, seq_len, dtype=torch.bool, device=device))


def masked_softmax(scores, mask):
    filled = scores.half().masked_fill(~mask, float("-inf"))
    return torch.softmax(filled, dim=-1).to(scores.dtype)
