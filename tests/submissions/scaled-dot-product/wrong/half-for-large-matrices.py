# verdict: fail
# mistake: unlisted
# fails: long-inputs
"""Falls back to bfloat16 where the score matrix is large."""

import math


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, float("-inf"))
    if query.shape[-2] * key.shape[-2] > 64 * 128:
        return (scores.bfloat16().softmax(-1) @ value.bfloat16()).to(value.dtype)
    return scores.softmax(-1) @ value
