# verdict: fail
# mistake: naive-softmax-overflow
# fails: large-scores-stay-finite
"""Takes exp first, sets hidden entries to zero, and divides by the row sum."""

import torch


def causal_mask(seq_len, device=None):
    return ~torch.triu(torch.ones(seq_len, seq_len, dtype=torch.bool, device=device), diagonal=1)


def masked_softmax(scores, mask):
    potentials = torch.exp(scores).masked_fill(~mask, 0.0)
    return potentials / potentials.sum(dim=-1, keepdim=True)
