# verdict: fail
# mistake: unlisted
# fails: masked-key-has-no-influence
"""Adds -1e9 to masked scores, which a masked score above 1e9 overcomes."""

import math


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if attn_mask is not None:
        scores = scores + (~attn_mask).to(scores.dtype) * -1e9
    return scores.softmax(-1) @ value
