# verdict: fail
# mistake: unlisted
# fails: mask-broadcasts
"""A 3-D mask with 4-D scores gets a head dimension, against broadcasting."""

import math


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if attn_mask is not None:
        if attn_mask.dim() == 3 and scores.dim() == 4 and attn_mask.shape[0] == scores.shape[0]:
            attn_mask = attn_mask.unsqueeze(1)
        scores = scores.masked_fill(~attn_mask, float("-inf"))
    return scores.softmax(-1) @ value
