# verdict: fail
# mistake: unlisted
# fails: long-inputs
"""Goes through the keys in tiles of 64 and drops the rest behind the last full tile."""

import math


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    S = key.shape[-2]
    n = max(S // 64 * 64, 64)
    key, value = key[..., :n, :], value[..., :n, :]
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask[..., :n], float("-inf"))
    return scores.softmax(-1) @ value
