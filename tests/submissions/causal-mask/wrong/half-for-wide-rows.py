# verdict: fail
# mistake: unlisted
# fails: long-inputs
"""Takes the softmax in float16 for rows of more than 64 scores."""

import torch


def causal_mask(seq_len, device=None):
    return torch.ones(seq_len, seq_len, dtype=torch.bool, device=device).tril()


def masked_softmax(scores, mask):
    s = scores.masked_fill(~mask, float("-inf"))
    if s.shape[-1] > 64:
        return (s - s.amax(-1, keepdim=True)).half().softmax(-1).to(scores.dtype)
    return s.softmax(-1)
