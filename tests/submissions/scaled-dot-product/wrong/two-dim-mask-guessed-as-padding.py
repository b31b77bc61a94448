# verdict: fail
# mistake: unlisted
# fails: mask-broadcasts
"""A 2-D mask of shape (B, S) is taken for key padding; (L, S) looks the same where L = B."""

import math


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if attn_mask is not None:
        if (
            attn_mask.dim() == 2
            and scores.dim() > 2
            and attn_mask.shape[0] == scores.shape[0]
            and attn_mask.shape[0] > 1
        ):
            attn_mask = attn_mask.reshape(attn_mask.shape[0], *[1] * (scores.dim() - 2), -1)
        scores = scores.masked_fill(~attn_mask, float("-inf"))
    return scores.softmax(-1) @ value
