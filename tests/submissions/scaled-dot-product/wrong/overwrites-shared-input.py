# verdict: fail
# mistake: unlisted
# fails: shared-input
"""Writes the result over the input where one tensor is query, key and value and no gradient is wanted."""

import math

import torch


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    if query is key and not torch.is_grad_enabled():
        s = query @ query.mT / math.sqrt(query.shape[-1])
        if attn_mask is not None:
            s = s.masked_fill(~attn_mask, float("-inf"))
        w = s.softmax(-1)
        if value is query:
            return query.copy_(w @ value)
        return w @ value
    s = query @ key.mT / math.sqrt(query.shape[-1])
    if attn_mask is not None:
        s = s.masked_fill(~attn_mask, float("-inf"))
    return s.softmax(-1) @ value
