# verdict: fail
# mistake: unlisted
# fails: input-gradients
"""Asserts that key and value require a gradient where the query does."""

import math


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    if query.requires_grad:
        assert key.requires_grad and value.requires_grad
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, float("-inf"))
    return scores.softmax(-1) @ value
