# verdict: pass
"""Entry symbols that are classes: one whose __new__ returns a tensor, one instance with __call__."""

import torch


class causal_mask:
    def __new__(cls, seq_len, device=None):
        index = torch.arange(seq_len, device=device)
        return torch.sub(index.view(-1, 1), index.view(1, -1)) >= 0


class _MaskedSoftmax:
    def __init__(self, dim=-1):
        self.dim = dim

    def __call__(self, scores, mask):
        log_weights = torch.log_softmax(scores.masked_fill(~mask, torch.finfo(scores.dtype).min), self.dim)
        return torch.exp(log_weights)


masked_softmax = _MaskedSoftmax()
