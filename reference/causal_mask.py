"""The causal mask, and a softmax that obeys a mask.

    mask[i, j] = (j <= i)                                          query i sees keys 0 … i: itself and the past
    weights[i, j] = exp(s[i, j]) / Σ_{j' visible} exp(s[i, j'])    and exactly 0 where key j is hidden

    seq_len -> mask (T, T) bool    scores (..., L, S), mask broadcastable to it -> weights (..., L, S)

Vaswani et al. 2017, "Attention Is All You Need", section 3.2.3: illegal connections are set to -∞ before the softmax.
"""

import torch


def causal_mask(seq_len, device=None):
    position = torch.arange(seq_len, device=device)  # (T,)
    return position[None, :] <= position[:, None]  # (T, T): key j along the row, query i down the column


def masked_softmax(scores, mask):
    hidden = ~mask
    weights = torch.softmax(scores.masked_fill(hidden, float("-inf")), dim=-1)  # (..., L, S): exp(-inf) is exactly 0

    # A row that is hidden throughout is 0/0 = NaN so far. Filling makes it 0; backward, the fill above stops the NaN.
    return weights.masked_fill(hidden, 0.0)  # (..., L, S)
