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
        weights = torch.softmax(
            scores.masked_fill(hidden, float("-inf")), dim=-1
        )  # (..., L, S): exp(-inf) is exactly 0
        # A row that is hidden throughout is 0/0 = NaN so far. Filling makes it 0; backward, the fill above stops the NaN.
        weights = weights.masked_fill(hidden, 0.0)

    return weights @ value  # (..., L, Ev)
