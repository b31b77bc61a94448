# verdict: unusable
# mistake: unlisted
"""The scratch test was left outside __main__ and fails while the file is being loaded."""

import torch


def causal_mask(seq_len, device=None):
    return torch.tril(torch.ones(seq_len, seq_len, dtype=torch.bool, device=device))


def masked_softmax(scores, mask):
    return torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=-1)


weights = masked_softmax(torch.randn(2, 4, 4), causal_mask(5))
print(weights)
