# verdict: fail
# mistake: unlisted
# fails: large-scores-stay-finite
"""Clamps the scores to ±10 so that exp cannot overflow: finite, and wrong where scores are large."""

import math


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    e = scores.clamp(-10, 10).exp()
    if attn_mask is not None:
        e = e.masked_fill(~attn_mask, 0.0)
    return e / e.sum(-1, keepdim=True) @ value
