# verdict: fail
# mistake: unlisted
# fails: long-inputs
"""Counts the positions in bfloat16: beyond 256 neighbours become equal."""

import torch


def causal_mask(seq_len, device=None):
    p = torch.arange(seq_len, device=device, dtype=torch.float32).to(torch.bfloat16)
    return p[None, :] <= p[:, None]


def masked_softmax(scores, mask):
    return scores.masked_fill(~mask, float("-inf")).softmax(-1)
