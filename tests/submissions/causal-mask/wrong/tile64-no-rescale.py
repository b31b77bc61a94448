# verdict: fail
# mistake: unlisted
# fails: long-inputs
"""Online softmax over tiles of 64 scores that forgets to rescale the running sum."""

import torch


def causal_mask(seq_len, device=None):
    return torch.ones(seq_len, seq_len, dtype=torch.bool, device=device).tril()


def masked_softmax(scores, mask):
    scores = scores.masked_fill(~mask, float("-inf"))
    top = total = None
    for tile in scores.split(64, -1):
        here = tile.amax(-1, keepdim=True).clamp(min=-1e30)
        new = here if top is None else torch.maximum(top, here)
        part = (tile - new).exp().sum(-1, keepdim=True)
        total = part if total is None else total + part
        top = new
    return (scores - top).exp() / total
