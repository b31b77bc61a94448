"""Scaled dot-product attention: every query takes a weighted average of the values.

    out = softmax(Q Kᵀ / √E) V

    query (..., L, E)    key (..., S, E)    value (..., S, Ev)    ->    out (..., L, Ev)
    attn_mask: bool, broadcastable to (..., L, S); True = this query may attend to this key

Vaswani et al. 2017, "Attention Is All You Need", section 3.2.1, equation 1.
"""

import math

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    # Scale the query, not the scores: L·E divisions instead of L·S, and float16 products stay in range.
    query = query / math.sqrt(query.shape[-1])  # (..., L, E)
    scores = query @ key.mT  # (..., L, S)

    if attn_mask is None:
        weights = torch.softmax(scores, dim=-1)  # (..., L, S)
    else:
        hidden = ~attn_mask
        scores = scores.masked_fill(hidden, float("-inf"))  # exp(-inf) is exactly 0

        # A row that is -inf throughout would be 0/0 = NaN, forward and backward. Give it any finite scores;
        # the fill after the softmax makes its weights 0, and 0 passes no gradient.
        sees_nothing = hidden.all(dim=-1, keepdim=True)  # (..., L, 1)
        scores = scores.masked_fill(sees_nothing, 0.0)
        weights = torch.softmax(scores, dim=-1).masked_fill(hidden, 0.0)  # (..., L, S)

    return weights @ value  # (..., L, Ev)
