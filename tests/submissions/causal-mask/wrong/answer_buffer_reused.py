# verdict: fail
# mistake: unlisted
# fails: repeatable
"""Without a gradient it divides into one buffer for each shape, so the next call changes the last answer."""

import torch

_buffers = {}


def causal_mask(seq_len, device=None):
    return torch.tril(torch.ones(seq_len, seq_len, dtype=torch.bool, device=device))


def masked_softmax(scores, mask):
    filled = scores.masked_fill(~mask, float("-inf"))
    exps = torch.exp(filled - filled.amax(dim=-1, keepdim=True))
    if scores.requires_grad:
        return exps / exps.sum(dim=-1, keepdim=True)
    key = (exps.shape, exps.dtype, exps.device)
    buffer = _buffers.setdefault(key, torch.empty_like(exps))
    return torch.div(exps, exps.sum(dim=-1, keepdim=True), out=buffer)
