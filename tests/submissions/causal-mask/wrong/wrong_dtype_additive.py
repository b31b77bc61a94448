# verdict: fail
# mistake: wrong-dtype
# fails: mask-is-bool
"""Makes the mask that some models add to their scores: zeros and minus infinities."""

import torch


def causal_mask(seq_len, device=None):
    return torch.full((seq_len, seq_len), float("-inf"), device=device).triu(diagonal=1)


def masked_softmax(scores, mask):
    if mask.dtype != torch.bool:
        mask = mask == 0
    return scores.masked_fill(~mask, float("-inf")).softmax(-1)
