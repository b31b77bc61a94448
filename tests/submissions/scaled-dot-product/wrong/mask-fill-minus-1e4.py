# verdict: fail
# mistake: mask-fill-too-small
# fails: masked-key-has-no-influence
"""Fills with -1e4 so that it would fit into float16; a visible key may score less than that."""

import math

import torch.nn.functional as F


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if attn_mask is not None:
        scores = scores.masked_fill(attn_mask == 0, -1e4)
    return F.softmax(scores, dim=-1) @ value
