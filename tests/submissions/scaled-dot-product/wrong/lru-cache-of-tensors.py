# verdict: fail
# mistake: unlisted
# fails: repeatable
"""Caches answers by the identity of their arguments: a tensor that was changed in place meets its old answer."""

import functools
import math


@functools.lru_cache(maxsize=8)
def scaled_dot_product_attention(query, key, value, attn_mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, float("-inf"))
    return scores.softmax(-1) @ value
